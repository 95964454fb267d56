import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PromptStyleChoice, styleFile } from '../../../src/agent/model/prompt-style-choice.ts';
import type { PromptStyle } from '../../../src/parse/formats/prompt-style.ts';
import { promptStyleNamed } from '../../../src/parse/formats/prompt-style.ts';
import { tempFolder } from '../../model/temp-folder.ts';

const STYLES = ['generic', 'llama', 'code'].map(
  name => [name, promptStyleNamed(name) as PromptStyle] as const,
);

function choice(path: string, problems: string[] = []) {
  return new PromptStyleChoice(
    'tiny',
    STYLES,
    styleFile(path, message => problems.push(message)),
  );
}

describe('the style that last worked', () => {
  test('is taken up again by the next session', () => {
    const path = join(tempFolder(), 'state', 'prompt-styles.json');
    const first = choice(path);
    expect(first.style).toBe(STYLES[0]?.[1]);
    expect(first.settle(false)).toBe(true);
    expect(first.style).toBe(STYLES[1]?.[1]);
    expect(first.settle(true)).toBe(false);
    expect(choice(path).style).toBe(STYLES[1]?.[1]);
    const other = new PromptStyleChoice(
      'other',
      STYLES,
      styleFile(path, () => undefined),
    );
    expect(other.style).toBe(STYLES[0]?.[1]);
    other.settle(true);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ tiny: 'llama', other: 'generic' });
  });

  test('after the last one the first has its turn again, and a single one stays', () => {
    const path = join(tempFolder(), 'x.json');
    const all = choice(path);
    for (const _ of STYLES) all.settle(false);
    expect(all.style).toBe(STYLES[0]?.[1]);
    const one = new PromptStyleChoice(
      'tiny',
      STYLES.slice(0, 1),
      styleFile(path, () => undefined),
    );
    expect(one.settle(false)).toBe(false);
  });

  test.each(['{', '[]', '{"tiny": 7}', '{"tiny": "gone"}'])(
    'a file that holds %s is as good as none',
    text => {
      const path = join(tempFolder(), 'x.json');
      writeFileSync(path, text);
      const styles = choice(path);
      expect(styles.style).toBe(STYLES[0]?.[1]);
      styles.settle(true);
      expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ tiny: 'generic' });
    },
  );

  test('a file that cannot be written is told once', () => {
    const path = join(tempFolder(), 'x.json');
    mkdirSync(path);
    const problems: string[] = [];
    const styles = choice(path, problems);
    styles.settle(true);
    styles.settle(true);
    expect(problems).toEqual([expect.stringContaining(`Cannot save which prompt style works in ${path}`)]);
  });
});
