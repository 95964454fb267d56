import { afterEach, expect, it, vi } from 'vitest';
import { saveFile } from '../../web/widgets/save-file.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('a browser that reads the file a moment after the click still finds it; later it is let go', () => {
  vi.useFakeTimers();
  const there = new Set<string>();
  const clicked: string[] = [];
  vi.stubGlobal('URL', {
    createObjectURL: () => {
      there.add('blob:1');
      return 'blob:1';
    },
    revokeObjectURL: (url: string) => void there.delete(url),
  });
  vi.stubGlobal('document', {
    createElement: () => ({ click: () => clicked.push('clicked') }),
  });
  saveFile('a.json', 'application/json', '{}');
  vi.advanceTimersByTime(5000);
  expect([clicked, [...there]]).toEqual([['clicked'], ['blob:1']]);
  vi.advanceTimersByTime(600_000);
  expect(there.size).toBe(0);
});
