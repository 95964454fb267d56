import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './command-lines.ts';

test('the model family that CONTRIBUTING shows is the file itself', () => {
  const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const [, shown] = page.match(/This is all of `qwen2\.cc`:\n\n```cpp\n([\s\S]*?)```/) ?? [];
  expect(shown).toBe(readFileSync(join(ROOT, 'native/models/qwen2.cc'), 'utf8'));
});
