import { formAsker } from '../../line/ask-form.ts';
import { LinePrinter } from '../../line/line-printer.ts';
import { TtyInput } from '../../line/tty-input.ts';
import { type PipedLine, pipedLines } from '../../text/piped-lines.ts';
import { stripControls } from '../../text/strip-controls.ts';
import { runBuiltin } from '../builtins/table.ts';
import { readLine } from '../process/questions.ts';
import type { Signals } from '../process/signals.ts';
import type { ChatSession } from './chat-session.ts';

const PROMPT = 'prompt -> ';
/** A second Ctrl+C within this time ends the program. */
const SECOND_INTERRUPT_MS = 2000;

export interface LineSessionOptions {
  readonly session: ChatSession;
  readonly signals: Signals;
}

/** The chat in line mode: asks, runs turns, prints. Ends with the exit code. */
export class LineSession {
  readonly #options: LineSessionOptions;
  readonly #printer = new LinePrinter({ answer: process.stdout, lines: process.stdout, label: true });
  readonly #keyboard = process.stdin.isTTY === true && process.stdout.isTTY === true;
  #turn: AbortController | undefined;
  #interruptedAt = Number.NEGATIVE_INFINITY;
  #leave: ((code: number) => void) | undefined;

  constructor(options: LineSessionOptions) {
    this.#options = options;
  }

  run(): Promise<number> {
    const left = new Promise<number>(resolve => {
      this.#leave = resolve;
    });
    this.#options.signals.onInterrupt(() => this.#interrupt());
    return Promise.race([left, this.#keyboard ? this.#fromKeyboard() : this.#fromPipe()]);
  }

  async #fromKeyboard(): Promise<number> {
    const input = new TtyInput(PROMPT);
    this.#options.session.tools.setElicitation?.(
      formAsker({
        print: text => {
          this.#printer.end();
          process.stdout.write(text);
        },
        ask: (prompt, signal) => readLine(prompt, false, signal),
      }),
    );
    while (true) {
      const typed = await input.ask();
      if (typed.type !== 'line') return 0;
      if (await this.#handle(typed.text)) return 0;
    }
  }

  async #fromPipe(): Promise<number> {
    const lines = pipedLines(process.stdin)[Symbol.asyncIterator]();
    process.stdout.write(PROMPT);
    for (let step = await lines.next(); !step.done; step = await lines.next()) {
      const { text, notice }: PipedLine = step.value;
      process.stdout.write(`${stripControls(text)}\n`);
      if (notice) process.stdout.write(`Error: ${notice}\n`);
      if (await this.#handle(text)) return 0;
      process.stdout.write(PROMPT);
    }
    process.stdout.write('\n');
    return 0;
  }

  /** Runs one input; true when it ends the session. */
  async #handle(text: string): Promise<boolean> {
    const input = text.trim();
    if (input === '') return false;
    const builtin = await runBuiltin(input, this.#options.session);
    this.#printer.showThinking = this.#options.session.showThinking;
    if (builtin?.output) process.stdout.write(`${builtin.output}\n`);
    if (builtin?.quit) return true;
    const prompt = builtin ? builtin.prompt : text;
    if (prompt !== undefined) await this.#runTurn(prompt);
    return false;
  }

  async #runTurn(prompt: string): Promise<void> {
    this.#turn = new AbortController();
    this.#printer.begin();
    try {
      const events = this.#options.session.turn(prompt, this.#turn.signal);
      for await (const event of events) this.#printer.print(event);
    } finally {
      this.#printer.end();
      this.#turn = undefined;
    }
  }

  /** Busy: cancel the turn, and end on a second one within 2 s. Idle: end. Without a keyboard a busy run ends too. */
  #interrupt(): void {
    const now = performance.now();
    const second = now - this.#interruptedAt < SECOND_INTERRUPT_MS;
    this.#interruptedAt = now;
    this.#turn?.abort();
    if (!this.#turn || (this.#keyboard && second)) this.#leave?.(0);
    else if (!this.#keyboard) this.#leave?.(130);
  }
}
