import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FileNames } from '../../../src/cli/attachments/file-names.ts';
import { fileReferences } from '../../../src/cli/attachments/file-references.ts';
import { complete } from '../../../src/tui/input/complete.ts';

function place(names: readonly string[]): FileNames {
  const cwd = mkdtempSync(join(tmpdir(), 'llm-host-names-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  for (const name of names) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(
      join(cwd, name),
      name === '.gitignore' ? '# made\nbuild/\n*.log\n/docs/old\n!keep.log\n' : '',
    );
  }
  return new FileNames(cwd);
}

test('entries of the folder, then files deeper; noise, hidden and binary files are left out', () => {
  const files = place([
    ...['notes.txt', 'Notes 2.md', 'src/new.ts', 'src/a/nested.ts', 'docs/old/new.md', 'docs/now.md', '.env'],
    ...['node_modules/n/index.js', '.git/notes', 'build/notes.js', 'now.log', 'night.png', '.gitignore'],
  ]);
  expect(files.complete('')).toEqual(['docs/', 'Notes 2.md', 'notes.txt', 'src/']);
  expect(files.complete('n')).toEqual([
    'Notes 2.md',
    'notes.txt',
    'docs/now.md',
    'src/new.ts',
    'src/a/nested.ts',
  ]);
  expect(files.complete('src/')).toEqual(['src/a/', 'src/new.ts']);
  expect(files.complete('src/N')).toEqual(['src/new.ts']);
  expect(files.complete('./no')).toEqual(['./Notes 2.md', './notes.txt']);
  expect(files.complete('.e')).toEqual(['.env']);
  expect(files.complete('none/')).toEqual([]);
  expect(files.complete('/dev/nul')).toEqual([]);
});

test('a large folder gives the first names only', () => {
  const files = place(Array.from({ length: 300 }, (_, index) => `f${String(index).padStart(3, '0')}`));
  expect(files.complete('f')).toHaveLength(50);
});

test.each([
  'plain.txt',
  'my notes.txt',
  'a "quoted" name.txt',
  'size 3".txt',
  '3"x5".txt',
  "it's.txt",
  "it's mine.txt",
  '"quoted".txt',
])('what the menu writes for %s names that file', name => {
  const candidates = { commands: [], tools: [], resources: [], files: () => [name] };
  const [option = ''] = complete('@', 1, candidates)?.options ?? [];
  expect(fileReferences(`see ${option}`, [])).toEqual([expect.objectContaining({ paths: [name] })]);
  for (const quote of ['"', "'"])
    expect(complete(`@${quote}a b`, 5, { ...candidates, files: typed => [typed] })?.options).toEqual([
      '@"a b"',
    ]);
});
