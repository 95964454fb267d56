import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../../errors.ts';
import type { AttemptRecord } from './metrics.ts';

/** Appends each attempt as a line of JSON. A file that cannot be written is reported once and then left alone. */
export function metricsFile(
  path: string,
  onProblem: (message: string) => void,
): (record: AttemptRecord) => void {
  let broken = false;
  return record => {
    if (broken) return;
    try {
      mkdirSync(dirname(path), { recursive: true });
      appendFileSync(path, `${JSON.stringify({ time: new Date().toISOString(), ...record })}\n`);
    } catch (error) {
      broken = true;
      onProblem(`The metrics file ${path} cannot be written: ${messageOf(error)}`);
    }
  };
}
