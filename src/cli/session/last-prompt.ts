import type { History } from '../../chat/history.ts';
import type { Message } from '../../chat/message.ts';

/** A prompt of the user. */
export interface ChatPrompt {
  /** As typed: it may name a prompt or resources of servers, and files. */
  readonly text: string;
  /** The part of it in which files and resources may be named. Default: all of it. */
  readonly naming?: string;
  /** Follows the text as it is: piped input, or a prompt that is asked again. */
  readonly data?: string;
  /** Shown instead of text and data. */
  readonly shown?: string;
}

/** The part of a prompt that the user typed. */
export interface TypedPrompt {
  readonly text: string;
  /** The part of it in which files and resources may be named. */
  readonly naming: string;
}

/** A prompt whose turn failed, or was cancelled before it could replace another: the history lacks it. */
interface FailedPrompt {
  readonly prompt: ChatPrompt;
  readonly typed: TypedPrompt;
  /** Asked in the place of the last turn, which is there again. */
  readonly replacing: boolean;
}

/**
 * The prompt that can be asked again or edited: the last of the conversation, or a later one whose turn failed. One that is
 * asked in the place of a turn replaces it only if it does not fail, and is not cancelled before anything was answered.
 */
export class LastPrompt {
  readonly #history: History;
  /** For the prompts of this run, while they are in the history. */
  readonly #typed = new WeakMap<Message, TypedPrompt>();
  #failed: FailedPrompt | undefined;
  #replaced: { readonly turn: readonly Message[]; readonly typed: TypedPrompt } | undefined;

  constructor(history: History) {
    this.#history = history;
  }

  /** The typed text. It is unknown for a loaded conversation, which may name no files again, since it has their texts. */
  get typed(): TypedPrompt | undefined {
    if (this.#failed) return this.#failed.typed;
    const last = this.#message();
    return last && (this.#typed.get(last) ?? { text: last.content, naming: '' });
  }

  /** The prompt to ask once more, as it was asked. */
  get again(): ChatPrompt | undefined {
    if (this.#failed) return this.#failed.prompt;
    const last = this.#message();
    // It has the texts of its files and resources already.
    return last && { text: '', data: last.content, shown: this.typed?.text ?? '' };
  }

  /** Makes room for the next prompt, which is asked in the place of this one. */
  takeBack(): void {
    const { typed } = this;
    const { messages, lastPrompt } = this.#history;
    if (typed === undefined || this.#failed?.replacing === false || !this.#history.undoTurn()) return;
    this.#replaced = { turn: messages.slice(lastPrompt), typed };
  }

  /**
   * The turn of a prompt is over. If the history has not got it, it failed; one that should replace another fails without an
   * answer too. The turn that it should replace comes back then, and the result is false.
   * @param before the history's messages when the turn began
   */
  ended(prompt: ChatPrompt, before: readonly Message[]): boolean {
    const { text, naming = text, shown } = prompt;
    const replaced = this.#replaced;
    const typed = shown === undefined ? { text, naming } : (replaced?.typed ?? { text: shown, naming: '' });
    this.#replaced = undefined;
    if (replaced && this.#isUnanswered(before)) this.#history.undoTurn();
    const asked = this.#message();
    if (asked !== undefined && !before.includes(asked)) {
      this.#typed.set(asked, typed);
      this.#failed = undefined;
      return true;
    }
    if (replaced) this.#history.add(...replaced.turn);
    this.#failed = { prompt, typed, replacing: replaced !== undefined };
    return false;
  }

  /** The conversation changed otherwise: a prompt that failed is no longer its last. */
  forget(): void {
    this.#failed = undefined;
    this.#replaced = undefined;
  }

  /** A new prompt with nothing but thoughts behind it. */
  #isUnanswered(before: readonly Message[]): boolean {
    const [asked, ...behind] = this.#history.messages.slice(this.#history.lastPrompt);
    if (asked?.role !== 'user' || before.includes(asked)) return false;
    return behind.every(one => one.role === 'assistant' && one.content === '' && !one.tool_calls);
  }

  #message(): Message | undefined {
    return this.#history.messages[this.#history.lastPrompt];
  }
}
