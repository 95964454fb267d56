import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ProgressLine } from '../../src/line/progress-line.ts';

/** What an update writes on a terminal so wide, without the erasure before it. */
function shown(columns: number | undefined, more = ''): string {
  let written = '';
  const out = { isTTY: true, columns, write: (text: string) => (written += text) };
  new ProgressLine(out as unknown as NodeJS.WriteStream, 'Downloading').update(50e6, 100e6, more);
  return written.replace('\r\u001b[K', '');
}

// On a dumb terminal there is no line.
beforeEach(() => vi.stubEnv('TERM', 'xterm'));
afterEach(() => vi.unstubAllEnvs());

test.each([
  [80, '', 'Downloading [############------------] 50% 50/100 MB'],
  [undefined, '', 'Downloading [############------------] 50% 50/100 MB'],
  [40, '', 'Downloading [######-----] 50% 50/100 MB'],
  [40, ', 12.3 MB/s, 4 min left', 'Downloading [######-----] 50% 50/100 MB'],
  [50, ', 12.3 MB/s, 4 min left', 'Downloading [#####-----] 50% 50/100 MB, 12.3 MB/s'],
  [20, '', 'Downloading [##--] '],
])('a progress line of %s columns with %j stays on its row', (columns, more, line) => {
  expect(shown(columns, more)).toBe(line);
  expect(line.length).toBeLessThan(columns ?? 80);
});
