import { formAsker } from '../../line/ask-form.ts';
import { LinePrinter } from '../../line/line-printer.ts';
import { TtyInput } from '../../line/tty-input.ts';
import { stripControls } from '../../text/clean/strip-controls.ts';
import { type PipedLine, pipedLines } from '../../text/piped-lines.ts';
import { readLine } from '../process/questions.ts';
import type { Signals } from '../process/signals.ts';
import type { ChatSession } from '../session/chat-session.ts';
import { replayParts } from './replay-parts.ts';
import { TurnLoop } from './turn-loop.ts';
import type { TurnNote } from './turn-note.ts';

const PROMPT = 'prompt -> ';
const LABELS = { prompt: PROMPT, reply: 'assistant -> ', note: '' } as const;

export interface LineSessionOptions {
  readonly session: ChatSession;
  readonly signals: Signals;
  /** Only the answers on stdout; prompts, calls and what commands print on stderr. */
  readonly answersAlone: boolean;
  readonly note?: TurnNote | undefined;
}

/**
 * The chat in line mode, at a keyboard or from a pipe. Resolves with the exit code. A terminal whose output goes elsewhere
 * (`| tee talk.txt`) is read as one too: a question about a call needs the keys between two prompts.
 */
export class LineSession {
  readonly #session: ChatSession;
  /** Receives all but the answers. */
  readonly #lines: NodeJS.WriteStream;
  readonly #printer: LinePrinter;
  readonly #keyboard = process.stdin.isTTY === true && process.stdout.isTTY === true;
  readonly #loop: TurnLoop;

  constructor({ session, signals, answersAlone, note }: LineSessionOptions) {
    this.#session = session;
    const lines = answersAlone ? process.stderr : process.stdout;
    const printer = new LinePrinter({
      answer: process.stdout,
      lines,
      label: !answersAlone,
      expandedBy: '/expand',
    });
    this.#lines = lines;
    this.#printer = printer;
    this.#loop = new TurnLoop({
      session,
      signals,
      note,
      keyboard: this.#keyboard,
      reader: {
        begin: (prompt, typed) => {
          if (!typed) lines.write(`${stripControls(`${PROMPT}${prompt}`)}\n`);
          printer.begin();
        },
        event: event => printer.print(event),
        end: () => printer.end(),
        ...(this.#keyboard && {
          // Between prompts the terminal is in its normal mode anyway.
          terminal: {
            write: sequence => void process.stdout.write(sequence),
            lend: () => () => undefined,
            blockedBy: work => signals.blockedBy(work),
          },
          progress: (_typed, text) => void process.stdout.write(`${stripControls(text)}\n`),
          replay: messages => {
            for (const { type, text } of replayParts(messages))
              process.stdout.write(`${stripControls(`${LABELS[type]}${text}`)}\n`);
          },
        }),
        builtin: (_typed, output) => {
          printer.showThinking = session.showThinking;
          if (output !== '') lines.write(`${stripControls(output)}\n`);
        },
      },
    });
  }

  run(): Promise<number> {
    if (this.#keyboard) this.#askForms();
    return this.#loop.run(() => (process.stdin.isTTY ? this.#fromTerminal() : this.#fromPipe()));
  }

  #askForms(): void {
    this.#session.tools.setElicitation?.(
      formAsker({
        print: text => {
          this.#printer.end();
          process.stdout.write(text);
        },
        ask: (prompt, signal) => readLine(prompt, false, signal),
      }),
    );
  }

  async #fromTerminal(): Promise<void> {
    const input = new TtyInput(PROMPT, this.#lines);
    while (!this.#loop.ended) {
      const typed = await input.ask();
      if (typed.type !== 'line') return;
      await this.#answer(typed.text);
    }
  }

  async #fromPipe(): Promise<void> {
    const lines = pipedLines(process.stdin)[Symbol.asyncIterator]();
    this.#lines.write(PROMPT);
    for (let step = await lines.next(); !step.done; step = await lines.next()) {
      const { text, notice }: PipedLine = step.value;
      this.#lines.write(`${stripControls(text)}\n`);
      if (notice) this.#lines.write(`Error: ${notice}\n`);
      await this.#answer(text);
      if (this.#loop.ended) return;
      this.#lines.write(PROMPT);
    }
    this.#lines.write('\n');
  }

  /** Resolves when the turn, if any, is over: the next prompt is printed below it. */
  async #answer(text: string): Promise<void> {
    if (text.trim() === '') return;
    this.#loop.submit({ text });
    await this.#loop.idle();
  }
}
