import { stripControls } from '../../text/clean/strip-controls.ts';
import { type Candidates, type Completion, complete } from './complete.ts';
import { type EditorEffect, type EditorState, EMPTY, edit, offer, withText } from './editor.ts';
import type { Key } from './keys.ts';
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

/** Milliseconds without a key before a server is asked. */
const PAUSE_MS = 200;

export interface LateCompletionsOptions {
  /** How to find completions for what is typed up to the cursor; undefined: there are none that take time. */
  readonly find: (
    text: string,
    cursor: number,
  ) => ((signal: AbortSignal) => Promise<Completion | undefined>) | undefined;
  /** Called if nothing was typed meanwhile. `asked`: Tab was pressed. */
  readonly show: (found: Completion, asked: boolean) => void;
  readonly pauseMs?: number;
}

/** Completions that take time: looked for when typing pauses, or at once on Tab; the next key gives the search up. */
export class LateCompletions {
  readonly #options: LateCompletionsOptions;
  #seen = { text: '', cursor: 0 };
  #search: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LateCompletionsOptions) {
    this.#options = options;
  }

  /** Called with the prompt's text after each key. */
  look(text: string, cursor: number, asked: boolean): void {
    if (!asked && text === this.#seen.text && cursor === this.#seen.cursor) return;
    this.close();
    this.#seen = { text, cursor };
    const find = this.#options.find(text, cursor);
    if (find === undefined) return;
    const { pauseMs = PAUSE_MS } = this.#options;
    this.#timer = setTimeout(() => void this.#run(find, asked), asked ? 0 : pauseMs);
    this.#timer.unref();
  }

  /** Gives up what is looked for. */
  close(): void {
    clearTimeout(this.#timer);
    this.#search?.abort();
    this.#search = undefined;
  }

  async #run(find: (signal: AbortSignal) => Promise<Completion | undefined>, asked: boolean): Promise<void> {
    const search = new AbortController();
    this.#search = search;
    const found = await find(search.signal).catch(() => undefined);
    if (found !== undefined && !search.signal.aborted) this.#options.show(found, asked);
  }
}
