import { formatArguments, formatResult, formatSeconds } from '../../text/console-format.ts';
import { stripControls } from '../../text/strip-controls.ts';

const EXPAND_KEY = 'Ctrl+O';
const INDENT = '  ';

export interface Outcome {
  /** `[HH:MM:SS]` */
  readonly time: string;
  readonly text: string;
  readonly seconds: number;
  /** Named if several calls ran at once; empty otherwise. */
  readonly tool: string;
}

/** `[HH:MM:SS] Calling tool: add(a=1, b=2) ...` */
export function callLine(time: string, name: string, args: Readonly<Record<string, unknown>>): string {
  return `${time} Calling tool: ${stripControls(name)}(${formatArguments(args)}) ...`;
}

export function resultLines({ time, text, seconds, tool }: Outcome): string {
  return lines(`${time} Result: `, formatResult(text, EXPAND_KEY), seconds, tool);
}

export function errorLines({ time, text, seconds, tool }: Outcome): string {
  return lines(`${time} ERROR: `, formatResult(text), seconds, tool);
}

/** The duration ends the first line; the others are indented. */
function lines(head: string, text: string, seconds: number, tool: string): string {
  const [first = '', ...rest] = text.split('\n');
  const summary = `${head}${first} (${formatSeconds(seconds)})${tool === '' ? '' : ` · ${tool}`}`;
  return [summary, ...rest.map(line => INDENT + line)].join('\n');
}
