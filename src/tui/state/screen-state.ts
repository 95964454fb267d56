import type { DialogueView } from '../input/dialogue.ts';
import type { EditorState } from '../input/editor.ts';

/** Everything the components draw: what stands below the conversation. */
export interface ScreenState {
  /** Its columns are those for text, which may be fewer than the terminal has. */
  readonly window: WindowSize;
  readonly turn: TurnStatus;
  /** Prompts waiting for the running turn to end. */
  readonly queue: readonly string[];
  readonly editor: EditorState;
  /** Has the place of the prompt. */
  readonly dialogue: DialogueView | undefined;
  /** Rows of the conversation that are still drawn again, above all this. */
  readonly growing: number;
  /** Descriptions of the menu's options, by their text. */
  readonly about: ReadonlyMap<string, string>;
  readonly footer: FooterInfo;
}

export interface WindowSize {
  readonly columns: number;
  readonly rows: number;
}

/** The work in progress of the model and its tools. */
export interface TurnStatus {
  readonly calls: readonly RunningCall[];
  readonly working: Working | undefined;
  /** The last line of the model's thinking, until it replies. */
  readonly thought: string;
}

export interface RunningCall {
  readonly id: string;
  readonly name: string;
  readonly startedAt: number;
  /** Its last progress message. */
  readonly message: string;
}

/** The model's work before the first token of a reply. */
export interface Working {
  readonly phase: 'reading' | 'thinking';
  readonly since: number;
  /** Progress of reading the prompt; undefined once it is read. */
  readonly prefill: { readonly done: number; readonly total: number } | undefined;
}

/** The session's figures in the footer. */
export interface FooterInfo {
  readonly model: string;
  readonly device: string;
  readonly contextUsed: number;
  readonly contextLength: number;
  /** Tokens per second of the last reply; undefined before there is one. */
  readonly rate: number | undefined;
  readonly tools: number;
  readonly serversUp: number;
  readonly servers: number;
}
