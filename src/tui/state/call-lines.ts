import stringWidth from 'string-width';
import { stripControls } from '../../text/clean/strip-controls.ts';
import { clock, formatArguments, formatSeconds } from '../../text/console-format.ts';
import type { ReplyView } from '../markdown/reply-text.ts';
import { wrap } from '../markdown/wrap.ts';
import { gutterRows, linesIn } from './gutter.ts';
import type { RunningCall } from './screen-state.ts';

/** The most rows of a running call's line that wait for its duration. */
const MAX_HEAD = 3;
/** Rows of a result shown before the rest is folded. */
const MAX_RESULT = 8;
const MIN_RESULT = 3;

interface Call extends RunningCall {
  /** Its line, until it is finished; undefined if it was too tall to wait. */
  readonly line: string | undefined;
}

export interface CallOutcome {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly failed: boolean;
  readonly seconds: number;
}

/**
 * The lines of tool calls and their outcomes. A call's line stays live until the call is over, so that its duration can
 * end it and its outcome stands below it, whatever else runs.
 */
export class CallLines {
  readonly #calls = new Map<string, Call>();

  get running(): readonly RunningCall[] {
    return [...this.#calls.values()].map(({ line: _, ...call }) => call);
  }

  /** The finished rows of a call that begins: none, unless they are many. */
  begin(
    id: string,
    name: string,
    args: Readonly<Record<string, unknown>>,
    now: Date,
    view: ReplyView,
  ): string[] {
    const line = callLine(clock(now), name, args);
    const rows = headRows(line, '', view);
    const waits = rows.length <= MAX_HEAD;
    this.#calls.set(id, {
      id,
      name: stripControls(name),
      startedAt: now.getTime(),
      message: '',
      line: waits ? line : undefined,
    });
    return waits ? [] : rows;
  }

  progress(id: string, message: string): void {
    const call = this.#calls.get(id);
    if (call) this.#calls.set(id, { ...call, message: stripControls(message).replaceAll('\n', ' ') });
  }

  /** The clocks of the running calls start that many milliseconds later. */
  waited(ms: number): void {
    for (const [id, call] of this.#calls) this.#calls.set(id, { ...call, startedAt: call.startedAt + ms });
  }

  /** The finished rows of a call and its outcome. */
  finish({ id, name, text, failed, seconds }: CallOutcome, now: Date, view: ReplyView): string[] {
    const line = this.#calls.get(id)?.line;
    this.#calls.delete(id);
    const head = line === undefined ? [] : headRows(line, `(${formatSeconds(seconds)})`, view);
    const outcome = {
      time: clock(now),
      text,
      tool: stripControls(name),
      label: failed ? ('ERROR' as const) : ('Result' as const),
      seconds: line === undefined ? seconds : undefined,
    };
    const most = Math.max(MIN_RESULT, Math.min(MAX_RESULT, Math.floor((view.height * 2) / 3)));
    const { shown, fold } = outcomeLines(outcome, view.width - 2, most);
    const { theme, width } = view;
    const [role, paint] = failed ? (['error', theme.error] as const) : (['tool', plain] as const);
    const rows = gutterRows(shown.join('\n'), role, width, theme, paint);
    if (fold !== '') rows.push(...gutterRows(fold, role, width, theme, theme.dim));
    return [...head, ...rows];
  }

  /** The rows of the calls that run, each on one row of the window. */
  live(view: ReplyView): string[] {
    return this.#heads(view).map(row => wrap(row, view.width)[0] ?? '');
  }

  /** The finished rows of calls that will have no outcome. */
  end(view: ReplyView): string[] {
    const rows = this.#heads(view);
    this.#calls.clear();
    return rows;
  }

  #heads(view: ReplyView): string[] {
    return [...this.#calls.values()].flatMap(({ line }) =>
      line === undefined ? [] : headRows(line, '', view),
    );
  }
}

/** A call's line, ended by its duration, if any: on a row of its own where the last row has no room for it. */
function headRows(line: string, took: string, { theme, width }: ReplyView): string[] {
  const rows = gutterRows(theme.tool(line), 'tool', width, theme, plain);
  if (took === '') return rows;
  const last = rows.pop() ?? '';
  if (stringWidth(last) + 1 + took.length <= width) return [...rows, `${last} ${theme.dim(took)}`];
  return [...rows, last, ...gutterRows(`  ${theme.dim(took)}`, 'tool', width, theme, plain)];
}

const plain = (text: string): string => text;

const INDENT = '  ';

interface Outcome {
  /** `[HH:MM:SS]` */
  readonly time: string;
  readonly label: 'Result' | 'ERROR';
  readonly text: string;
  readonly tool: string;
  /** Set if the call's line was printed without them. */
  readonly seconds: number | undefined;
}

interface OutcomeLines {
  readonly shown: readonly string[];
  /** Says how much is folded; empty if nothing is. */
  readonly fold: string;
}

/** `[HH:MM:SS] Calling tool: add(a=1, b=2) ...` */
function callLine(time: string, name: string, args: Readonly<Record<string, unknown>>): string {
  return `${time} Calling tool: ${stripControls(name)}(${formatArguments(args)}) ...`;
}

/**
 * `[HH:MM:SS] Result: ` and the text, the lines after its first indented; what is longer than `most` rows of `width`
 * columns is folded, with a count.
 */
function outcomeLines(outcome: Outcome, width: number, most: number): OutcomeLines {
  const { time, label, text, tool, seconds } = outcome;
  const [first = '', ...rest] = stripControls(text).trimEnd().split('\n');
  const took = seconds === undefined ? '' : ` (${formatSeconds(seconds)}) · ${tool}`;
  const rows = linesIn(
    [`${time} ${label}: ${first}${took}`, ...rest.map(line => INDENT + line)].join('\n'),
    width,
  );
  const hidden = rows.length - most;
  // Folding a single row would save nothing.
  if (hidden <= 1) return { shown: rows, fold: '' };
  return {
    shown: rows.slice(0, most),
    fold: `${INDENT}... ${hidden} more lines of ${tool} · Ctrl+O shows all`,
  };
}
