import stringWidth from 'string-width';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Spinner } from '../../src/line/spinner.ts';

/** The rows that a spinner draws in a window of so many columns, the last of them after `seconds`. */
function draw(label: string, columns: number, seconds: number): string[] {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  vi.stubEnv('TERM', 'xterm');
  onTestFinished(() => void vi.unstubAllEnvs());
  const rows: string[] = [];
  const write = (text: string) => rows.push(text.replace('\r\u001b[K', ''));
  const spinner = new Spinner({ isTTY: true, columns, write } as unknown as NodeJS.WriteStream);
  spinner.start(label);
  vi.advanceTimersByTime(seconds * 1000);
  spinner.stop();
  return rows.slice(0, -1);
}

test('a row of a spinner fits the window, and ends with the seconds', () => {
  const label = 'thinking about the best way to put it for a narrow window';
  for (const columns of [80, 40, 20]) {
    const rows = draw(label, columns, 12);
    expect(Math.max(...rows.map(row => stringWidth(row)))).toBeLessThan(columns);
    expect(rows.at(-1)).toMatch(/^[|/\\-] thinking .*1[12]\.\ds$/);
  }
  expect(draw('数据库查询正在进行', 16, 1).at(-1)).toMatch(/^[|/\\-] 数据库查 1\.\ds$/);
});

test.each([1, 5, 8])('in a window of %i columns there are at least the seconds', columns => {
  expect(draw('reading', columns, 1).at(-1)).toMatch(/^[|/\\-] 1\.\ds$/);
});
