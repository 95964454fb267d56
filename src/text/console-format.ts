import { stripControls } from './clean/strip-controls.ts';

/** Lines of a tool result shown before the rest is folded. */
const RESULT_LINES = 12;

/** Local 24 h time: `[HH:MM:SS]`. */
export function clock(now: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `[${two(now.getHours())}:${two(now.getMinutes())}:${two(now.getSeconds())}]`;
}

/** `key=value, ...` with JSON values, all arguments shown. */
export function formatArguments(args: Readonly<Record<string, unknown>>): string {
  return Object.entries(args)
    .map(([key, value]) => `${stripControls(key)}=${stripControls(JSON.stringify(value))}`)
    .join(', ');
}

/** A result or an error; beyond a limit of lines folded, with a count and, if given, how to see the rest. */
export function formatResult(text: string, expandedBy?: string): string {
  const lines = stripControls(text).trimEnd().split('\n');
  if (lines.length <= RESULT_LINES) return lines.join('\n');
  const more = lines.length - RESULT_LINES;
  const count = `${more} more ${more === 1 ? 'line' : 'lines'}`;
  return `${lines.slice(0, RESULT_LINES).join('\n')}\n... (${count}${expandedBy === undefined ? '' : `, ${expandedBy} shows all`})`;
}

/** `took X.XXs` */
export function formatSeconds(seconds: number): string {
  return `took ${seconds.toFixed(2)}s`;
}

/** The last line that is not blank. */
export function lastLine(text: string): string {
  const end = text.trimEnd();
  return end.slice(end.lastIndexOf('\n') + 1);
}
