import { closeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** Those of stdin, stdout and stderr that were a terminal when the program began. */
const TERMINALS = [0, 1, 2].filter(fd => isatty(fd));

/**
 * Closes those that are a terminal no more, because its window was closed: Node gives each one back the mode it began
 * with as the process ends, and aborts where it cannot. To be called last.
 */
export function closeLostTerminals(): void {
  for (const fd of TERMINALS) {
    if (!isatty(fd)) closeSync(fd);
  }
}
