import { stripControls } from '../../text/clean/strip-controls.ts';
import { type Candidates, complete } from './complete.ts';
import { type EditorEffect, type EditorState, EMPTY, edit, offer, withText } from './editor.ts';
import type { Key } from './keys.ts';
import { LateCompletions, type LateCompletionsOptions } from './late-completions.ts';
import { expandPastes, foldAgain } from './pastes.ts';
import type { PromptHistory } from './prompt-history.ts';

export interface PromptEditorOptions extends Pick<LateCompletionsOptions, 'find'> {
  readonly history: PromptHistory;
  readonly candidates: () => Candidates;
  /** Completions have come without a key. */
  readonly onChange: () => void;
}

/** The prompt at the bottom of the screen: its text, and the completions of it. */
export class PromptEditor {
  state: EditorState = EMPTY;
  readonly #options: PromptEditorOptions;
  readonly #late: LateCompletions;

  constructor(options: PromptEditorOptions) {
    this.#options = options;
    this.#late = new LateCompletions({
      find: options.find,
      show: (found, asked) => {
        this.state = offer(this.state, found, asked);
        options.onChange();
      },
    });
  }

  /** Takes a key. Returns what it asks of the program; a prompt is in the history then. */
  key(key: Key, busy: boolean): EditorEffect | undefined {
    const { history, candidates } = this.#options;
    const { pastes } = this.state;
    const { state, effect } = edit(this.state, key, {
      history: history.entries,
      folded: entry => history.folded(entry),
      busy,
      complete: (text, cursor) => complete(text, cursor, candidates()),
    });
    this.state = state;
    if (effect?.type === 'submit')
      history.add(effect.text, effect.folded === undefined ? undefined : { text: effect.folded, pastes });
    const asked = key.type === 'key' && key.name === 'tab' && !state.menu;
    this.#late.look(state.text, state.cursor, asked);
    return effect;
  }

  /** With its pastes. */
  get text(): string {
    return expandPastes(this.state);
  }

  /** `text` was edited elsewhere. What is a paste stays one. */
  edited(text: string): void {
    this.#late.close();
    const folded = foldAgain(this.state, stripControls(text));
    this.state = withText({ ...this.state, pastes: folded.pastes }, folded.text);
  }

  /** Looks for nothing any more. */
  close(): void {
    this.#late.close();
  }
}
