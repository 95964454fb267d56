import type { TurnEvent } from '../../agent/events/turn-event.ts';
import { clock, lastLine } from '../../text/console-format.ts';
import { stripControls } from '../../text/strip-controls.ts';
import { ReplyText, type ReplyView } from '../markdown/reply-text.ts';
import { wrap, wrapLine } from '../markdown/wrap.ts';
import type { Paint } from '../style/theme.ts';
import type { RunningCall, TurnStatus } from './screen-state.ts';
import { callLine, errorLines, resultLines } from './tool-lines.ts';

export interface TurnParts {
  readonly finished: readonly string[];
  readonly growing: readonly string[];
  readonly status: TurnStatus;
}

/** Turns a turn's events into finished lines, which `take` hands out once, and what can still change. */
export class TurnView {
  readonly #now: () => Date;
  readonly #reply = new ReplyText();
  readonly #calls = new Map<string, RunningCall>();
  /** Several calls ran at once since none did. */
  #parallel = false;
  #finished: string[] = [];
  #startedAt = 0;
  #prefill: { readonly done: number; readonly total: number } | undefined;
  #thinking = '';
  #thinkingSince = 0;
  /** The last line of the model's thinking, until it replies. */
  #thought = '';
  #phase: 'idle' | 'reading' | 'thinking' | 'writing' = 'idle';
  showThinking = false;

  constructor(now: () => Date = () => new Date()) {
    this.#now = now;
  }

  begin(): void {
    this.#phase = 'reading';
    this.#startedAt = this.#now().getTime();
  }

  /** Prints lines below everything printed so far, wrapped to the window. */
  print(text: string, view: ReplyView, paint: Paint = plain): void {
    this.#settleReply(view, '');
    const rows = text.split('\n').flatMap(line => wrapLine(line, view.width));
    this.#finished.push(...rows.map(paint));
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
        this.print(`Notice: ${stripControls(event.message)}`, view, view.theme.dim);
        break;
      case 'error':
        this.print(stripControls(`Error: ${event.message}`), view, view.theme.error);
        if (event.hint) this.print(stripControls(event.hint), view);
        break;
    }
  }

  /** The turn is over, however it ended. */
  end(view: ReplyView): void {
    this.#endThinking(view);
    this.#settleReply(view, '');
    this.#calls.clear();
    this.#parallel = false;
    this.#thought = '';
    this.#prefill = undefined;
    this.#phase = 'idle';
  }

  /** The lines finished since the last call, the rows that still grow, and what stands below them. */
  take(view: ReplyView): TurnParts {
    const { settled, live } = this.#reply.lines(view);
    const finished = [...this.#finished, ...settled];
    this.#finished = [];
    const calls = [...this.#calls.values()];
    const thought = lastLine(this.#thinking) || this.#thought;
    return { finished, growing: live, status: { calls, working: this.#working(), thought } };
  }

  #working(): TurnStatus['working'] {
    const phase = this.#prefill ? 'reading' : this.#phase;
    if (phase !== 'reading' && phase !== 'thinking') return undefined;
    return { phase, since: this.#startedAt, prefill: this.#prefill };
  }

  #tool(event: Extract<TurnEvent, { id: string }>, view: ReplyView): void {
    const { theme } = view;
    const time = clock(this.#now());
    const tool = this.#parallel && 'name' in event ? stripControls(event.name) : '';
    switch (event.type) {
      case 'tool_call':
        this.#endThinking(view);
        this.print(callLine(time, event.name, event.arguments), view, theme.call);
        this.#calls.set(event.id, {
          ...{ id: event.id, name: stripControls(event.name) },
          ...{ startedAt: this.#now().getTime(), message: '' },
        });
        this.#parallel ||= this.#calls.size > 1;
        break;
      case 'tool_progress': {
        const call = this.#calls.get(event.id);
        const message = stripControls(event.message).replaceAll('\n', ' ');
        if (call) this.#calls.set(event.id, { ...call, message });
        break;
      }
      case 'tool_result':
        this.print(resultLines({ time, tool, text: event.text, seconds: event.seconds }), view);
        this.#calls.delete(event.id);
        break;
      case 'tool_error':
        this.print(
          errorLines({ time, tool, text: event.message, seconds: event.seconds }),
          view,
          theme.error,
        );
        this.#calls.delete(event.id);
        break;
    }
    if (this.#calls.size > 0) return;
    this.#parallel = false;
    this.#restart('reading');
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
}

const plain: Paint = text => text;
