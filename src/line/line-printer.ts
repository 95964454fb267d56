import type { TurnEvent } from '../agent/events/turn-event.ts';
import { stripControls } from '../text/clean/strip-controls.ts';
import { clock, formatArguments, formatResult, formatSeconds, lastLine } from '../text/console-format.ts';
import { Spinner } from './spinner.ts';

const PROGRESS_CHARS = 50;

export interface LinePrinterOptions {
  /** Receives the reply. */
  readonly answer: NodeJS.WriteStream;
  /** Receives everything else; in a chat the same stream as `answer`. */
  readonly lines: NodeJS.WriteStream;
  /** Print `assistant -> ` before the reply. */
  readonly label: boolean;
  /** The command that shows long results whole. Default: none. */
  readonly expandedBy?: string;
  readonly now?: () => Date;
}

/** Prints a turn line by line and the reply token by token. Its only state is what is on the current line. */
export class LinePrinter {
  readonly #options: LinePrinterOptions;
  readonly #spinner: Spinner;
  #inReply = false;
  #thinking = '';
  /** Print the model's thinking once it ends. Otherwise only its last line shows, next to the spinner. */
  showThinking = false;

  constructor(options: LinePrinterOptions) {
    this.#options = options;
    this.#spinner = new Spinner(options.lines);
  }

  /** A turn begins: shows the spinner until the first event. */
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
      // A notice says the same.
      case 'compaction':
      case 'stats':
      case 'tools_offered':
        break;
      case 'tool_progress':
        // Must fit on one row: the spinner can erase no more.
        this.#spinner.relabel(stripControls(event.message).replaceAll('\n', ' ').slice(0, PROGRESS_CHARS));
        break;
      case 'token':
        this.#token(event.text);
        break;
      case 'tool_call':
        this.#line(`${this.#clock()} Calling tool: ${event.name}(${formatArguments(event.arguments)}) ...`);
        this.#spinner.start(stripControls(event.name));
        break;
      case 'tool_result':
        this.#line(
          `${this.#clock()} Result: ${indented(formatResult(event.text, this.#options.expandedBy))} (${formatSeconds(event.seconds)})`,
        );
        this.#spinner.start('reading');
        break;
      case 'tool_error':
        this.#line(
          `${this.#clock()} ERROR: ${indented(formatResult(event.message))} (${formatSeconds(event.seconds)})`,
        );
        this.#spinner.start('reading');
        break;
      case 'assistant':
        this.#endReply(event.cancelled ? ' [cancelled]' : '');
        break;
      case 'notice':
        this.#line(`Notice: ${indented(event.message)}`);
        break;
      case 'error':
        this.#line(`Error: ${indented(event.message)}${event.hint ? `\n${event.hint}` : ''}`);
        break;
    }
  }

  /** Ends the current line, if any. */
  end(): void {
    this.#endReply('');
  }

  #token(text: string): void {
    // Drop blank lines before the reply and around calls.
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
    // Names, results, errors and notices may hold what servers and models wrote.
    this.#options.lines.write(`${stripControls(text)}\n`);
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

/** A server's lines below the first never look like the program's own: `assistant -> ` could be one of them. */
function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}
