import { type Choice, choicesFor } from '../../text/choice.ts';
import { graphemes } from './edit-text.ts';
import { type EditorEffect, type EditorState, EMPTY, edit, withText } from './editor.ts';
import type { Key } from './keys.ts';

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

/** A question with a fixed set of answers, and what has been answered so far. */
export interface QuestionState {
  readonly title: string;
  readonly choices: readonly Choice[];
  /** The selected choice; -1: what is typed means none, or several. */
  readonly index: number;
  readonly typed: string;
  /** Why the last Enter was no answer. */
  readonly note: string;
}

/** A key's effect; `none`: the question is dismissed, which is not an answer. */
export type QuestionEffect =
  | { readonly type: 'chosen'; readonly choice: Choice }
  | { readonly type: 'none' | 'interrupt' | 'suspend' };

const MOST_TYPED = 40;

/** `start` is the word of the choice that Enter takes at first. */
export function ask(title: string, choices: readonly Choice[], start: string): QuestionState {
  return { title, choices, index: choices.findIndex(({ word }) => word === start), typed: '', note: '' };
}

/**
 * Applies one key: arrows and Tab select, Enter takes what is selected. Words are typed out and need Enter, since
 * somebody may have been typing a prompt when the question came. Pure.
 */
export function answer(
  state: QuestionState,
  key: Key,
): { readonly state: QuestionState; readonly effect?: QuestionEffect } {
  if (key.type === 'paste') return { state };
  if (key.type === 'text') return { state: typing(state, state.typed + key.text) };
  switch (key.name) {
    case 'up':
    case 'shift+tab':
      return { state: moved(state, -1) };
    case 'down':
    case 'tab':
      return { state: moved(state, 1) };
    case 'backspace':
      return { state: typing(state, graphemes(state.typed).slice(0, -1).join('')) };
    case 'enter':
      return entered(state);
    case 'escape':
    case 'ctrl+d':
      return { state, effect: { type: 'none' } };
    case 'ctrl+c':
      return { state, effect: { type: 'interrupt' } };
    case 'ctrl+z':
      return { state, effect: { type: 'suspend' } };
    default:
      return { state };
  }
}

function moved(state: QuestionState, step: number): QuestionState {
  const count = state.choices.length;
  const index = state.index < 0 && step < 0 ? count - 1 : (state.index + step + count) % count;
  return { ...state, index, typed: '', note: '' };
}

function typing(state: QuestionState, text: string): QuestionState {
  const typed = text.slice(0, MOST_TYPED);
  const [only, ...more] = choicesFor(typed, state.choices);
  const index = only && more.length === 0 ? state.choices.indexOf(only) : -1;
  return { ...state, typed, index, note: '' };
}

function entered(state: QuestionState) {
  const choice = state.choices[state.index];
  if (choice) return { state, effect: { type: 'chosen' as const, choice } };
  const words = state.choices.map(({ word }) => word).join(', ');
  return { state: { ...state, typed: '', note: `'${state.typed.trim()}' is none of ${words}` } };
}
