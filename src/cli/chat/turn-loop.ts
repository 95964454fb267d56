import type { TurnEvent } from '../../agent/events/turn-event.ts';
import type { Message } from '../../chat/message.ts';
import type { BuiltinResult, UserTerminal } from '../builtins/base/builtin.ts';
import { runBuiltin } from '../builtins/run-builtin.ts';
import type { Signals } from '../process/signals.ts';
import type { ChatSession } from '../session/chat-session.ts';
import type { ChatPrompt } from '../session/last-prompt.ts';
import { noteSequence, type TurnNote } from './turn-note.ts';

/** A second Ctrl+C within this time ends the program. */
const SECOND_INTERRUPT_MS = 2000;

export interface TurnInput {
  readonly text: string;
  /** The text with its pastes folded: only what was typed can name files and resources. */
  readonly folded?: string;
  /** A prompt, even if it reads like a built-in command; it names no files or resources either. */
  readonly promptOnly?: boolean;
}

/** Shows what the loop does: lines, the screen, or JSON events. */
export interface TurnReader {
  /** `typed`: the prompt is what the user typed, not what a command made of it. */
  begin(prompt: string, typed: boolean): void | Promise<void>;
  event(event: TurnEvent): void | Promise<void>;
  /** Also called after a turn that threw, with its error. */
  end(error?: unknown): void;
  /** A built-in command ran; `output` may be empty. */
  builtin(typed: string, output: string): void | Promise<void>;
  /** The progress of a long command, ahead of `builtin`. */
  progress?(typed: string, text: string): void;
  /** Shows a conversation again, as it was held, below what the command says. */
  replay?(messages: readonly Message[]): void | Promise<void>;
  /** undefined: nobody sits at one. */
  readonly terminal?: UserTerminal | undefined;
  /** The queued inputs changed. */
  queued?(texts: readonly string[]): void;
  busy?(busy: boolean): void;
}

export interface TurnLoopOptions {
  readonly session: ChatSession;
  readonly signals: Signals;
  readonly reader: TurnReader;
  /** Sent to the reader's terminal after long turns. */
  readonly note?: TurnNote | undefined;
  /** Whether a person types: Ctrl+C then cancels a turn first and ends the chat only the second time. */
  readonly keyboard: boolean;
}

/** How a turn ended: `failed` with an error event, `cancelled` by the user. */
export type TurnOutcome = 'done' | 'failed' | 'cancelled';

/** The loop of every chat: queues inputs, runs built-in commands and turns one at a time, and handles Ctrl+C. */
export class TurnLoop {
  readonly #options: TurnLoopOptions;
  #queue: readonly TurnInput[] = [];
  #working = false;
  #idle: Promise<void> = Promise.resolve();
  #turn: AbortController | undefined;
  #interruptedAt = Number.NEGATIVE_INFINITY;
  #ended = false;
  #leave: (code: number) => void = () => undefined;
  #fail: (error: unknown) => void = () => undefined;

  constructor(options: TurnLoopOptions) {
    this.#options = options;
  }

  /**
   * Runs until the input ends, a command or Ctrl+C ends the chat, or a turn throws; resolves with the exit code.
   * `readInput` submits inputs until there are no more; without it, callbacks do.
   */
  run(readInput: () => Promise<void> = () => new Promise(() => undefined)): Promise<number> {
    const left = new Promise<number>((resolve, reject) => {
      this.#leave = resolve;
      this.#fail = reject;
    });
    this.#options.signals.onInterrupt(() => this.interrupt());
    return Promise.race([left, readInput().then(() => 0)]);
  }

  /** One prompt, which Ctrl+C cancels; a second one does not wait for that. */
  once(prompt: ChatPrompt): Promise<TurnOutcome> {
    const { signals } = this.#options;
    signals.onInterrupt(() => {
      this.cancel();
      signals.closing();
    });
    return this.#runTurn(prompt);
  }

  /** True once the chat is over and no further input is taken. */
  get ended(): boolean {
    return this.#ended;
  }

  get queueLength(): number {
    return this.#queue.length;
  }

  /** Queues an input. */
  submit(input: TurnInput): void {
    this.#setQueue([...this.#queue, input]);
    if (this.#working) return;
    this.#working = true;
    this.#idle = this.#workOff().catch(error => {
      this.#ended = true;
      this.#fail(error);
    });
  }

  /** Resolves when nothing is queued or running. */
  idle(): Promise<void> {
    return this.#idle;
  }

  cancel(): void {
    this.#turn?.abort();
  }

  leave(code: number): void {
    this.#ended = true;
    this.#leave(code);
  }

  /** Ctrl+C. Idle: end. Busy: cancel the turn; then end at once without a keyboard, on a second one with it. */
  interrupt(): void {
    const now = performance.now();
    const second = now - this.#interruptedAt < SECOND_INTERRUPT_MS;
    this.#interruptedAt = now;
    const busy = this.#turn !== undefined;
    this.cancel();
    const { keyboard, signals } = this.#options;
    if (busy && keyboard && second) signals.insist();
    if (!busy || (keyboard && second)) this.leave(0);
    else if (!keyboard) this.leave(130);
  }

  async #workOff(): Promise<void> {
    const { reader, session } = this.#options;
    reader.busy?.(true);
    const isOver = () => this.#ended || session.closed;
    for (let next = this.#queue[0]; next !== undefined && !isOver(); next = this.#queue[0]) {
      this.#setQueue(this.#queue.slice(1));
      if (await this.#handle(next)) return this.leave(0);
    }
    this.#working = false;
    if (!this.#ended) reader.busy?.(false);
  }

  /** Runs one input; true when it ends the chat. */
  async #handle({ text, folded, promptOnly = false }: TurnInput): Promise<boolean> {
    const { reader } = this.#options;
    const builtin = promptOnly ? undefined : await this.#runBuiltin(text);
    if (builtin) await reader.builtin(text, builtin.output);
    if (builtin?.replay) await reader.replay?.(builtin.replay);
    if (builtin?.quit) return true;
    const naming = promptOnly ? '' : folded;
    const prompt = builtin ? builtin.prompt : { text, naming };
    if (prompt !== undefined) await this.#runTurn(prompt, builtin === undefined);
    return false;
  }

  /** Ctrl+C and Esc cancel a long command as they do a turn. */
  async #runBuiltin(text: string): Promise<BuiltinResult | undefined> {
    const { session, reader } = this.#options;
    const abort = new AbortController();
    this.#turn = abort;
    try {
      return await runBuiltin(text.trim(), session, {
        signal: abort.signal,
        progress: message => reader.progress?.(text, message),
        terminal: reader.terminal,
      });
    } finally {
      this.#turn = undefined;
    }
  }

  async #runTurn(prompt: ChatPrompt, typed = true): Promise<TurnOutcome> {
    const { session, reader } = this.#options;
    const turn = new AbortController();
    this.#turn = turn;
    let failed = false;
    let reply = '';
    const started = performance.now();
    await reader.begin(prompt.shown ?? [prompt.text, prompt.data].filter(Boolean).join('\n\n'), typed);
    try {
      for await (const event of session.turn(prompt, turn.signal)) {
        if (event.type === 'error') failed = true;
        if (event.type === 'error') reply = event.message;
        else if (event.type === 'assistant') reply = event.text;
        await reader.event(event);
      }
      reader.end();
      if (!turn.signal.aborted && !session.closed) this.#tellEnd(reply, performance.now() - started);
    } catch (error) {
      reader.end(error);
      throw error;
    } finally {
      this.#turn = undefined;
    }
    if (failed) return 'failed';
    return turn.signal.aborted ? 'cancelled' : 'done';
  }

  /** Not while more prompts wait: the user would find the model at work. */
  #tellEnd(reply: string, tookMs: number): void {
    const { note, reader } = this.#options;
    if (!note || tookMs < note.after * 1000 || this.#queue.length > 0) return;
    reader.terminal?.write(noteSequence(note.kind, reply));
  }

  #setQueue(queue: readonly TurnInput[]): void {
    this.#queue = queue;
    this.#options.reader.queued?.(queue.map(({ text }) => text));
  }
}
