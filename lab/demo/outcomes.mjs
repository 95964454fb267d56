// What became of each case of a run, kept line by line, so that a run that was cut short can go on.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Of the runs that wrote to `file`, found by the whole case. */
export function outcomes(file) {
  mkdirSync(dirname(file), { recursive: true });
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const found = new Map(text.split('\n').flatMap(entry));
  // A run killed while it wrote leaves half a line; what follows needs one of its own.
  if (text !== '' && !text.endsWith('\n')) appendFileSync(file, '\n');
  return {
    /** undefined: not asked yet. */
    known: one => found.get(JSON.stringify(one)),
    add(one, outcome) {
      appendFileSync(file, `${asJson([one, outcome])}\n`);
      return outcome;
    },
  };
}

function entry(line) {
  try {
    const [one, outcome] = JSON.parse(line);
    return [[JSON.stringify(one), outcome]];
  } catch {
    return [];
  }
}

/** With whole numbers of any size as numbers. */
export function asJson(value) {
  return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? Number(part) : part));
}
