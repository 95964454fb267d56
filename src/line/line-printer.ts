import type { TurnEvent } from '../agent/events/turn-event.ts';
import { clock, formatArguments, formatResult, formatSeconds, lastLine } from '../text/console-format.ts';
import { stripControls } from '../text/strip-controls.ts';
import { Spinner } from './spinner.ts';

const PROGRESS_CHARS = 50;

export interface LinePrinterOptions {
  /** Gets the reply. */
  readonly answer: NodeJS.WriteStream;
  /** Gets everything else; the same stream as `answer` in a chat. */
  readonly lines: NodeJS.WriteStream;
  /** Print `assistant -> ` before the reply. */
  readonly label: boolean;
  readonly now?: () => Date;
}

/** Prints a turn line by line, the reply as it is typed. A view of the events: it holds only where the cursor is. */
export class LinePrinter {
  readonly #options: LinePrinterOptions;
  readonly #spinner: Spinner;
  #inReply = false;
  #thinking = '';
  /** Print the model's thinking when it is over; else its last line stands beside the spinner, and that is all. */
  showThinking = false;

  constructor(options: LinePrinterOptions) {
    this.#options = options;
    this.#spinner = new Spinner(options.lines);
  }

  /** A turn begins; something will be computed before the first event. */
  begin(): void {
    this.#spinner.start('reading');
  }

  print(event: TurnEvent): void {
    switch (event.type) {
      case 'prefill':
        if (event.done >= event.total) this.#spinner.start('thinking');
        break;
      case 'thinking':
        this.#thinking += stripControls(event.text);
        this.#spinner.relabel(`thinking ${lastLine(this.#thinking).slice(0, PROGRESS_CHARS)}`.trim());
        break;
      case 'stats':
        break;
      case 'tool_progress':
        // One line of the terminal at most: a longer one could not be taken back.
        this.#spinner.relabel(stripControls(event.message).replaceAll('\n', ' ').slice(0, PROGRESS_CHARS));
        break;
      case 'token':
        this.#token(event.text);
        break;
      case 'tool_call':
        this.#line(
          `${this.#clock()} Calling tool: ${stripControls(event.name)}(${formatArguments(event.arguments)}) ...`,
        );
        this.#spinner.start(event.name);
        break;
      case 'tool_result':
        this.#line(
          `${this.#clock()} Result: ${formatResult(event.text, '/expand')} (${formatSeconds(event.seconds)})`,
        );
        this.#spinner.start('reading');
        break;
      case 'tool_error':
        this.#line(
          `${this.#clock()} ERROR: ${formatResult(event.message)} (${formatSeconds(event.seconds)})`,
        );
        this.#spinner.start('reading');
        break;
      case 'assistant':
        this.#endReply(event.cancelled ? ' [cancelled]' : '');
        break;
      case 'notice':
        this.#line(`Notice: ${event.message}`);
        break;
      case 'error':
        this.#line(`Error: ${event.message}${event.hint ? `\n${event.hint}` : ''}`);
        break;
    }
  }

  /** Ends whatever is open, so that the next line starts at the left. */
  end(): void {
    this.#endReply('');
  }

  #token(text: string): void {
    // Blank lines before the reply or around a call are no part of it.
    const clean = stripControls(this.#inReply ? text : text.trimStart());
    if (clean === '') return;
    this.#spinner.stop();
    this.#endThinking();
    if (!this.#inReply && this.#options.label) this.#options.answer.write('assistant -> ');
    this.#inReply = true;
    this.#options.answer.write(clean);
  }

  #line(text: string): void {
    this.#endReply('');
    this.#options.lines.write(`${text}\n`);
  }

  #endReply(mark: string): void {
    this.#spinner.stop();
    this.#endThinking();
    if (this.#inReply) this.#options.answer.write(`${mark}\n`);
    else if (mark) this.#options.lines.write(`${mark.trim()}\n`);
    this.#inReply = false;
  }

  #endThinking(): void {
    const text = this.#thinking.trim();
    this.#thinking = '';
    if (!this.showThinking || text === '') return;
    this.#options.lines.write(`Thinking:\n${text.replaceAll(/^/gm, '  ')}\n`);
  }

  #clock(): string {
    return clock(this.#options.now?.() ?? new Date());
  }
}
