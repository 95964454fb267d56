import { dirname } from 'node:path';
import { messageOf } from '../../errors.ts';
import { makeFolder } from '../../text/files/make-folder.ts';
import { appendText } from '../../text/files/open-for-writing.ts';
import type { AttemptRecord } from './metrics.ts';

/** Appends each attempt as a line of JSON. A failure to write is reported once, then nothing more is written. */
export function metricsFile(
  path: string,
  onProblem: (message: string) => void,
): (record: AttemptRecord) => void {
  let broken = false;
  return record => {
    if (broken) return;
    try {
      makeFolder(dirname(path));
      appendText(path, `${JSON.stringify({ time: new Date().toISOString(), ...record })}\n`);
    } catch (error) {
      broken = true;
      onProblem(`Cannot write the metrics file ${path}: ${messageOf(error)}`);
    }
  };
}
