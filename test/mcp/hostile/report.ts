import { appendFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { HostileServer } from './hostile-servers.ts';
import { UNCLEAN, type Withstood } from './withstand.ts';

/** Where nothing else runs, HOSTILE_CLOCK=1 asks for the same by the clock. */
const BY_CLOCK = process.env.HOSTILE_CLOCK === '1';

/** What holds of every attack, on any machine. */
export function expectHeld({ texts, left, ...spent }: Withstood): void {
  for (const text of texts) expect.soft(text).not.toMatch(UNCLEAN);
  expect.soft(Math.max(0, ...texts.map(text => text.length))).toBeLessThan(70_000);
  expect.soft(spent.callCpuMs, 'work within a call of the other server').toBeLessThan(200);
  if (BY_CLOCK) expect.soft(spent.callMs, 'a call of the other server').toBeLessThan(200);
  expect.soft(spent.megabytes, 'growth in MB').toBeLessThan(300);
  expect.soft(spent.closeTicks, 'until it was gone').toBeLessThan(2000);
  if (BY_CLOCK) expect.soft(spent.closeMs, 'until it was gone, by the clock').toBeLessThan(2000);
  expect.soft(left, 'processes left').toEqual([]);
}

/** A row of a table, where HOSTILE_TABLE names the file for it. */
export function report(
  { transport, name }: HostileServer,
  { callCpuMs, callMs, megabytes, closeMs }: Withstood,
): void {
  const file = process.env.HOSTILE_TABLE;
  if (file === undefined) return;
  const figures = [callMs, callCpuMs, megabytes, closeMs].map(value => value.toFixed(0)).join(' | ');
  appendFileSync(file, `| ${transport}: ${name} | ${figures} |\n`);
}
