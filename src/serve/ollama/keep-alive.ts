import { badRequest } from '../http/api-error.ts';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * Milliseconds of `keep_alive`: seconds, or a text such as `5m` or `1h30m`; negative: without end. Undefined: not given.
 * Throws ApiError 400.
 */
export function keepAliveMs(given: string | number | null | undefined): number | undefined {
  if (given == null) return undefined;
  const text = String(given).trim();
  const parts = [...text.replace(/^[+-]/, '').matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  const ms = /^[+-]?\d+(\.\d+)?$/.test(text)
    ? Math.abs(Number(text)) * 1000
    : parts.reduce((sum, [, amount, unit = 's']) => sum + Number(amount) * (UNITS[unit] ?? 0), 0);
  const isDuration = /^[+-]?(\d+(\.\d+)?(ms|s|m|h))+$/.test(text) || /^[+-]?\d+(\.\d+)?$/.test(text);
  if (!isDuration)
    throw badRequest(
      `keep_alive: a duration such as 5m, or seconds, not '${text.slice(0, 40)}'`,
      'keep_alive',
    );
  return text.startsWith('-') ? Number.POSITIVE_INFINITY : ms;
}
