import { EntryProblem } from './problem.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Keys that other hosts read as seconds. */
const SECONDS = new Set(['tool_timeout_sec', 'tool_timeout', 'startup_timeout_sec', 'init_timeout']);

/**
 * A time limit in milliseconds, from 1 to 24 h. Hosts disagree about the unit, so a number that makes no sense in one
 * unit is read in the other, with a warning: `"timeout": 30` is 30 s, `"tool_timeout_sec": 90000` is 90 s. Throws
 * EntryProblem if it is not a positive number.
 */
export function readTimeLimit(key: string, value: unknown, warn: (message: string) => void): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
    const unit = SECONDS.has(key) ? 'seconds' : 'milliseconds';
    throw new EntryProblem(`'${key}' must be a positive number of ${unit}`, [key], '"timeout": 30000 (30 s)');
  }
  const [ms, warning] = SECONDS.has(key) ? fromSeconds(value) : fromMilliseconds(value);
  if (warning !== undefined) warn(`'${key}' is ${value}, ${warning}`);
  return Math.max(1, Math.round(ms));
}

function fromMilliseconds(value: number): [number, string?] {
  if (value < 1000) {
    const seconds = `${value} s`;
    return [
      value * 1000,
      `but it is in milliseconds: taken as ${seconds}; write ${Math.round(value * 1000)} for ${seconds}`,
    ];
  }
  if (value > DAY_MS) return [DAY_MS, 'more than a day in milliseconds: taken as 24 h'];
  return [value];
}

function fromSeconds(value: number): [number, string?] {
  if (value * 1000 <= DAY_MS) return [value * 1000];
  if (value <= DAY_MS) return [value, 'more than a day in seconds: taken as milliseconds'];
  return [DAY_MS, 'more than a day: taken as 24 h'];
}
