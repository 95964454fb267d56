import type { TurnEvent } from '../agent/events/turn-event.ts';
import { clock, formatArguments, formatResult, formatSeconds, lastLine } from '../text/console-format.ts';
import { stripControls } from '../text/strip-controls.ts';
import { wrap } from './markdown.ts';
import { ReplyText, type ReplyView } from './reply-text.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;
const BAR = 20;
const EXPAND_KEY = 'Ctrl+O';

interface RunningCall {
  readonly name: string;
  readonly startedAt: number;
  message: string;
}

/** What a turn shows: finished lines are handed out once by `take`, the rest is live. */
export class TurnView {
  readonly #now: () => Date;
  readonly #reply = new ReplyText();
  readonly #calls = new Map<string, RunningCall>();
  #finished: string[] = [];
  #startedAt = 0;
  #prefill: { done: number; total: number } | undefined;
  #thinking = '';
  #thinkingSince = 0;
  /** The last line of what it thought, until it says something. */
  #thought = '';
  /** A line of its own stands between the last reply and what follows. */
  #phase: 'idle' | 'reading' | 'thinking' | 'writing' = 'idle';
  showThinking = false;

  constructor(now: () => Date = () => new Date()) {
    this.#now = now;
  }

  begin(): void {
    this.#phase = 'reading';
    this.#startedAt = this.#now().getTime();
  }

  /** Prints lines above the live region, below all text so far. */
  print(text: string, view: ReplyView): void {
    this.#settleReply(view, '');
    this.#finished.push(...text.split('\n'));
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
        this.#reply.push(event.text);
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
      case 'stats':
        break;
      case 'notice':
        this.print(view.theme.dim(`Notice: ${stripControls(event.message)}`), view);
        break;
      case 'error':
        this.print(view.theme.error(stripControls(`Error: ${event.message}`)), view);
        if (event.hint) this.print(stripControls(event.hint), view);
        break;
    }
  }

  /** The turn is over, however it ended. */
  end(view: ReplyView): void {
    this.#endThinking(view);
    this.#settleReply(view, '');
    this.#calls.clear();
    this.#thought = '';
    this.#prefill = undefined;
    this.#phase = 'idle';
  }

  /** Lines that are finished since the last call, and the live ones. */
  take(view: ReplyView): { finished: readonly string[]; live: readonly string[] } {
    const { settled, live } = this.#reply.lines(view);
    const finished = [...this.#finished, ...settled];
    this.#finished = [];
    return { finished, live: [...live, ...this.#activity(view)] };
  }

  get moving(): boolean {
    return this.#calls.size > 0 || this.#phase === 'reading' || this.#phase === 'thinking';
  }

  #tool(event: Extract<TurnEvent, { id: string }>, view: ReplyView): void {
    const { theme } = view;
    const time = clock(this.#now());
    switch (event.type) {
      case 'tool_call':
        this.#endThinking(view);
        this.print(
          theme.call(
            `${time} Calling tool: ${stripControls(event.name)}(${formatArguments(event.arguments)}) ...`,
          ),
          view,
        );
        this.#calls.set(event.id, { name: event.name, startedAt: this.#now().getTime(), message: '' });
        break;
      case 'tool_progress': {
        const call = this.#calls.get(event.id);
        if (call) call.message = stripControls(event.message).replaceAll('\n', ' ');
        break;
      }
      case 'tool_result':
        this.print(
          `${time} Result: ${formatResult(event.text, EXPAND_KEY)} (${formatSeconds(event.seconds)})`,
          view,
        );
        this.#calls.delete(event.id);
        break;
      case 'tool_error':
        this.print(
          theme.error(`${time} ERROR: ${formatResult(event.message)} (${formatSeconds(event.seconds)})`),
          view,
        );
        this.#calls.delete(event.id);
        break;
    }
    if (this.#calls.size === 0) this.#restart('reading');
  }

  #restart(phase: 'reading' | 'thinking'): void {
    this.#phase = phase;
    this.#startedAt = this.#now().getTime();
  }

  #settleReply(view: ReplyView, mark: string): void {
    if (this.#reply.isEmpty && mark) this.#finished.push(mark.trim());
    else this.#finished.push(...this.#reply.end(view, mark));
  }

  #endThinking({ theme, width }: ReplyView): void {
    const text = this.#thinking.trim();
    this.#thinking = '';
    if (text === '') return;
    this.#thought = lastLine(text);
    const lines = wrap(text, Math.max(1, width - 2));
    const seconds = ((this.#now().getTime() - this.#thinkingSince) / 1000).toFixed(1);
    const head = `Thought for ${seconds} s (${lines.length} ${lines.length === 1 ? 'line' : 'lines'})`;
    this.#finished.push(theme.dim(head));
    if (this.showThinking) this.#finished.push(...lines.map(line => theme.dim(`  ${line}`)));
  }

  #activity({ theme }: ReplyView): string[] {
    const now = this.#now().getTime();
    const frame = FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length];
    const since = (start: number) => `${((now - start) / 1000).toFixed(1)}s`;
    if (this.#calls.size > 0) {
      return [...this.#calls.values()].map(({ name, startedAt, message }) => {
        const parts = [since(startedAt), message || this.#thought, 'esc cancels'];
        return `${frame} ${stripControls(name)} ${theme.dim(parts.filter(Boolean).join(' · '))}`;
      });
    }
    if (this.#prefill) return [`${frame} reading ${theme.dim(bar(this.#prefill))}`];
    if (this.#phase !== 'reading' && this.#phase !== 'thinking') return [];
    const last = lastLine(this.#thinking) || this.#thought;
    return [`${frame} ${this.#phase} ${theme.dim(`${since(this.#startedAt)}${last ? ` · ${last}` : ''}`)}`];
  }
}

function bar({ done, total }: { done: number; total: number }): string {
  const share = total > 0 ? Math.min(1, done / total) : 0;
  const filled = Math.round(share * BAR);
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR - filled)}] ${done}/${total} tokens`;
}
