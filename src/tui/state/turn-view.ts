import type { TurnEvent } from '../../agent/events/turn-event.ts';
import { stripControls } from '../../text/clean/strip-controls.ts';
import { lastLine } from '../../text/console-format.ts';
import type { DrawnImage, ImageCells } from '../images/drawn-image.ts';
import { ReplyText, type ReplyView } from '../markdown/reply-text.ts';
import { wrap, wrapLine } from '../markdown/wrap.ts';
import type { Paint } from '../style/theme.ts';
import type { PrintedRow } from '../terminal/painter.ts';
import { CallLines } from './call-lines.ts';
import { gutterRows, type Role } from './gutter.ts';
import type { TurnStatus } from './screen-state.ts';

export interface TurnParts {
  readonly finished: readonly PrintedRow[];
  readonly growing: readonly string[];
  readonly status: TurnStatus;
}

/** The image in a file, at most so large; undefined: it is not shown. */
export type DrawImage = (path: string, box: ImageCells) => DrawnImage | undefined;

/** Files of one result that are looked at. */
const MAX_IMAGES = 4;
const MAX_IMAGE = { rows: 12, columns: 80 };
/** In a lower window an image would show nothing. */
const MIN_ROWS = 3;

/** Turns a turn's events into finished lines, which `take` hands out once, and what can still change. */
export class TurnView {
  readonly #now: () => Date;
  readonly #drawImage: DrawImage;
  readonly #reply = new ReplyText();
  readonly #calls = new CallLines();
  readonly #finished = new Transcript();
  #startedAt = 0;
  #prefill: { readonly done: number; readonly total: number } | undefined;
  #thinking = '';
  #thinkingSince = 0;
  /** The last line of the model's thinking, until it replies. */
  #thought = '';
  #phase: 'idle' | 'reading' | 'thinking' | 'writing' = 'idle';
  showThinking = false;

  constructor(now: () => Date = () => new Date(), drawImage: DrawImage = () => undefined) {
    this.#now = now;
    this.#drawImage = drawImage;
  }

  begin(): void {
    this.#phase = 'reading';
    this.#startedAt = this.#now().getTime();
  }

  /**
   * Prints what a command says, wrapped to the window, below everything printed so far.
   * @param apart a blank line above it, whatever stands there
   */
  print(text: string, view: ReplyView, apart = false): void {
    this.#settleReply(view, '');
    this.#finished.open('output', apart);
    this.#finished.push(text.split('\n').flatMap(line => wrapLine(line, view.width)));
  }

  /** Prints rows as they are. */
  printRows(rows: readonly string[]): void {
    this.#finished.push(rows);
  }

  /** Prints a prompt. */
  prompt(text: string, view: ReplyView): void {
    this.#inGutter(`prompt -> ${text}`, 'user', view, view.theme.bold);
  }

  notice(text: string, view: ReplyView): void {
    this.#inGutter(text, 'notice', view, view.theme.dim);
  }

  error(text: string, view: ReplyView): void {
    this.#inGutter(text, 'error', view, view.theme.error);
  }

  add(event: TurnEvent, view: ReplyView): void {
    switch (event.type) {
      case 'prefill':
        this.#prefill = event.done < event.total ? event : undefined;
        if (!this.#prefill) this.#restart('thinking');
        break;
      case 'token':
        this.#endThinking(view);
        this.#thought = '';
        this.#phase = 'writing';
        this.#write(event.text);
        break;
      case 'thinking':
        if (this.#thinking === '') this.#thinkingSince = this.#now().getTime();
        this.#thinking += stripControls(event.text);
        break;
      case 'tool_call':
      case 'tool_progress':
      case 'tool_result':
      case 'tool_error':
        this.#tool(event, view);
        break;
      case 'assistant':
        this.#endThinking(view);
        this.#settleReply(view, event.cancelled ? ' [cancelled]' : '');
        this.#phase = 'idle';
        break;
      // A notice says the same.
      case 'compaction':
      case 'stats':
      case 'tools_offered':
        break;
      case 'notice':
        this.notice(`Notice: ${stripControls(event.message)}`, view);
        break;
      case 'error':
        this.error(stripControls(`Error: ${event.message}`), view);
        if (event.hint) this.notice(stripControls(event.hint), view);
        break;
    }
  }

  /** The running calls waited for the user: their clocks start that many milliseconds later. */
  waited(ms: number): void {
    this.#calls.waited(ms);
  }

  /** The turn is over, however it ended. */
  end(view: ReplyView): void {
    this.#endThinking(view);
    this.#settleReply(view, '');
    this.#finished.push(this.#calls.end(view));
    this.#thought = '';
    this.#prefill = undefined;
    this.#phase = 'idle';
  }

  /** The lines finished since the last call, the rows that still grow, and what stands below them. */
  take(view: ReplyView): TurnParts {
    const { settled, live } = this.#reply.lines(view);
    const finished = [...this.#finished.take(), ...settled];
    const thought = lastLine(this.#thinking) || this.#thought;
    const status = { calls: this.#calls.running, working: this.#working(), thought };
    return { finished, growing: [...live, ...this.#calls.live(view)], status };
  }

  #working(): TurnStatus['working'] {
    const phase = this.#prefill ? 'reading' : this.#phase;
    if (phase !== 'reading' && phase !== 'thinking') return undefined;
    return { phase, since: this.#startedAt, prefill: this.#prefill };
  }

  #tool(event: Extract<TurnEvent, { id: string }>, view: ReplyView): void {
    if (event.type === 'tool_progress') {
      this.#calls.progress(event.id, event.message);
      return;
    }
    const now = this.#now();
    this.#endThinking(view);
    this.#settleReply(view, '');
    this.#finished.open('work');
    if (event.type === 'tool_call') {
      this.#finished.push(this.#calls.begin(event.id, event.name, event.arguments, now, view));
    } else {
      const failed = event.type === 'tool_error';
      const { id, name, seconds } = event;
      const text = failed ? event.message : event.text;
      this.#finished.push(this.#calls.finish({ id, name, text, failed, seconds }, now, view));
      if (event.type === 'tool_result') this.#finished.push(this.#images(event.saved ?? [], view));
    }
    if (this.#calls.running.length === 0) this.#restart('reading');
  }

  /** The images among these files. */
  #images(paths: readonly string[], { height, width, theme }: ReplyView): PrintedRow[] {
    const [mark = ''] = gutterRows('', 'tool', width, theme, theme.dim);
    const column = 2;
    const box = {
      rows: Math.min(height, MAX_IMAGE.rows),
      columns: Math.min(width - column, MAX_IMAGE.columns),
    };
    if (box.rows < MIN_ROWS || box.columns < 1) return [];
    const drawn = paths.slice(0, MAX_IMAGES).flatMap(path => this.#drawImage(path, box) ?? []);
    return drawn.map(({ rows, sequence }) => ({ rows, sequence, mark, column }));
  }

  #write(text: string): void {
    const began = !this.#reply.isEmpty;
    this.#reply.push(text);
    if (!began && !this.#reply.isEmpty) this.#finished.open('reply');
  }

  #inGutter(text: string, role: Role, view: ReplyView, paint: Paint): void {
    this.#settleReply(view, '');
    this.#finished.open(role === 'user' ? 'prompt' : 'work');
    this.#finished.push(gutterRows(text, role, view.width, view.theme, paint));
  }

  #restart(phase: 'reading' | 'thinking'): void {
    this.#phase = phase;
    this.#startedAt = this.#now().getTime();
  }

  #settleReply(view: ReplyView, mark: string): void {
    if (this.#reply.isEmpty && mark) {
      this.#finished.open('reply');
      this.#finished.push([mark.trim()]);
    } else this.#finished.push(this.#reply.end(view, mark));
  }

  #endThinking({ theme, width }: ReplyView): void {
    const text = this.#thinking.trim();
    this.#thinking = '';
    if (text === '') return;
    this.#thought = lastLine(text);
    const lines = wrap(text, Math.max(1, width - 4));
    const seconds = ((this.#now().getTime() - this.#thinkingSince) / 1000).toFixed(1);
    const head = `Thought for ${seconds} s (${lines.length} ${lines.length === 1 ? 'line' : 'lines'})`;
    this.#finished.open('work');
    const shown = this.showThinking ? lines.map(line => `  ${line}`) : [];
    this.#finished.push(gutterRows([head, ...shown].join('\n'), 'thought', width, theme, theme.dim));
  }
}

/** Lines that stand together: a prompt, the work on it (calls, results, notices), a reply, a command's output. */
type Block = 'prompt' | 'work' | 'reply' | 'output';

/** The finished rows of the conversation: blocks with a blank row between them. Each row is taken once. */
class Transcript {
  #rows: PrintedRow[] = [];
  #above: Block = 'output';

  /** Assigns the lines that follow to a block: the one above, unless that is of another kind or `apart` is set. */
  open(block: Block, apart = block === 'prompt'): void {
    if (apart || block !== this.#above) this.#rows.push('');
    this.#above = block;
  }

  push(rows: readonly PrintedRow[]): void {
    for (const row of rows) this.#rows.push(row);
  }

  take(): readonly PrintedRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}
