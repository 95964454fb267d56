import { appendFileSync } from 'node:fs';
import { expect } from 'vitest';
import { UNCLEAN, type Withstood } from './withstand.ts';

/** What holds of every attack, on any machine. */
export function expectHeld({ callCpuMs, megabytes, closeMs, texts, left }: Withstood): void {
  for (const text of texts) expect.soft(text).not.toMatch(UNCLEAN);
  expect.soft(Math.max(0, ...texts.map(text => text.length))).toBeLessThan(70_000);
  // By the clock it is as short where nothing else runs.
  expect.soft(callCpuMs, 'work within a call of the other server').toBeLessThan(200);
  expect.soft(megabytes, 'growth in MB').toBeLessThan(300);
  // 2 s where nothing else runs.
  expect.soft(closeMs, 'until it was gone').toBeLessThan(6000);
  expect.soft(left, 'processes left').toEqual([]);
}

/** A row of a table, where HOSTILE_TABLE names the file for it. */
export function report(
  transport: string,
  attack: string,
  { callCpuMs, callMs, megabytes, closeMs }: Withstood,
): void {
  const file = process.env.HOSTILE_TABLE;
  if (file === undefined) return;
  const figures = [callMs, callCpuMs, megabytes, closeMs].map(value => value.toFixed(0)).join(' | ');
  appendFileSync(file, `| ${transport}: ${attack} | ${figures} |\n`);
}
