import { closeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** Those of stdin, stdout and stderr that were a terminal at the start. */
const TERMINALS = [0, 1, 2].filter(fd => isatty(fd));

/**
 * Closes those whose terminal is gone because its window was closed: at exit Node restores the mode of each terminal and
 * aborts if it cannot. Call it last.
 */
export function closeLostTerminals(): void {
  for (const fd of TERMINALS) {
    if (!isatty(fd)) closeSync(fd);
  }
}
