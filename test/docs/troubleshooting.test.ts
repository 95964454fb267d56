import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './command-lines.ts';

const PAGE = readFileSync(join(ROOT, 'docs', 'troubleshooting.md'), 'utf8');

/** All sources as one text, in which messages that are put together from pieces stand piece by piece. */
function sources(): string {
  return ['src', 'native', 'scripts']
    .flatMap(folder =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(path => join(folder, path)),
    )
    .filter(path => /\.(tsx?|cc|h|mjs)$/.test(path))
    .map(path => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n');
}

test('every message in the column of symptoms is one that the program prints', () => {
  const symptoms = [...PAGE.matchAll(/^\| (.*?) \| .* \| .* \|$/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text),
  );
  // Names of options and headers stand in running text.
  const messages = symptoms.filter(text => text.includes(' '));
  expect(messages.length).toBeGreaterThan(25);
  const text = sources();
  expect(messages.filter(message => !text.includes(message))).toEqual([]);
});
