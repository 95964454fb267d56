import type { Choice } from '../../text/choice.ts';
import { type EditorEffect, type EditorState, EMPTY, edit, withText } from './editor.ts';
import type { Key } from './keys.ts';
import { answer, ask, type QuestionState } from './question.ts';

/** The question or form that replaces the prompt while the program waits for an answer. */
export type DialogueView =
  | { readonly type: 'question'; readonly question: QuestionState }
  | { readonly type: 'form'; readonly label: string; readonly editor: EditorState };

type Open = (
  | { readonly type: 'question'; question: QuestionState }
  | { readonly type: 'form'; readonly label: string; editor: EditorState }
) & { readonly end: (answer: string | undefined) => void };

/** A question or a text to edit that has the keyboard; one at a time. */
export class Dialogue {
  readonly #onChange: () => void;
  #open: Open | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get view(): DialogueView | undefined {
    return this.#open;
  }

  /** Resolves with the word chosen; undefined: Esc, or `signal`. `start` is selected at first. */
  choose(
    title: string,
    choices: readonly Choice[],
    start: string,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    return this.#opened(signal, end => ({ type: 'question', question: ask(title, choices, start), end }));
  }

  /** Resolves with the edited text; undefined: Esc, or `signal`. */
  editText(label: string, text: string, signal?: AbortSignal): Promise<string | undefined> {
    return this.#opened(signal, end => ({ type: 'form', label, editor: withText(EMPTY, text), end }));
  }

  /** Ends it without an answer. */
  close(): void {
    this.#open?.end(undefined);
  }

  /** Takes a key. Returns what it asks of the program beyond the dialogue. */
  key(key: Key): EditorEffect | undefined {
    const open = this.#open;
    if (open?.type === 'question') return this.#questionKey(open, key);
    if (open?.type === 'form') return this.#formKey(open, key);
    return undefined;
  }

  #questionKey(open: Extract<Open, { type: 'question' }>, key: Key): EditorEffect | undefined {
    const { state, effect } = answer(open.question, key);
    open.question = state;
    if (effect?.type === 'chosen') open.end(effect.choice.word);
    if (effect?.type === 'none') open.end(undefined);
    return effect?.type === 'interrupt' || effect?.type === 'suspend' ? { type: effect.type } : undefined;
  }

  #formKey(open: Extract<Open, { type: 'form' }>, key: Key): EditorEffect | undefined {
    const context = { history: [], busy: true, complete: () => undefined };
    const { state, effect } = edit(open.editor, key, context);
    open.editor = state;
    if (effect?.type === 'submit') open.end(effect.text);
    if (effect?.type === 'cancel') open.end(undefined);
    const passed = effect?.type === 'interrupt' || effect?.type === 'suspend' || effect?.type === 'redraw';
    return passed ? effect : undefined;
  }

  #opened(
    signal: AbortSignal | undefined,
    make: (end: (answer: string | undefined) => void) => Open,
  ): Promise<string | undefined> {
    this.close();
    if (signal?.aborted) return Promise.resolve(undefined);
    return new Promise(resolve => {
      const abort = (): void => end(undefined);
      const end = (text: string | undefined): void => {
        signal?.removeEventListener('abort', abort);
        if (this.#open?.end === end) this.#open = undefined;
        resolve(text);
        this.#onChange();
      };
      signal?.addEventListener('abort', abort);
      this.#open = make(end);
      this.#onChange();
    });
  }
}
