import { stripControls } from '../../text/clean/strip-controls.ts';
import { formatArguments, formatSeconds } from '../../text/console-format.ts';
import { linesIn } from './gutter.ts';

const INDENT = '  ';

export interface Outcome {
  /** `[HH:MM:SS]` */
  readonly time: string;
  readonly label: 'Result' | 'ERROR';
  readonly text: string;
  readonly tool: string;
  /** Set if the call's line was printed without them. */
  readonly seconds: number | undefined;
}

export interface OutcomeLines {
  readonly shown: readonly string[];
  /** Says how much is folded; empty if nothing is. */
  readonly fold: string;
}

/** `[HH:MM:SS] Calling tool: add(a=1, b=2) ...` */
export function callLine(time: string, name: string, args: Readonly<Record<string, unknown>>): string {
  return `${time} Calling tool: ${stripControls(name)}(${formatArguments(args)}) ...`;
}

/**
 * `[HH:MM:SS] Result: ` and the text, the lines after its first indented; what is longer than `most` rows of `width`
 * columns is folded, with a count.
 */
export function outcomeLines(outcome: Outcome, width: number, most: number): OutcomeLines {
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
