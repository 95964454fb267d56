import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readModelTexts } from '../../src/model/config.ts';
import { readGgufModel } from '../../src/model/gguf/config.ts';
import { folderWeights } from '../../src/model/weights-manifest.ts';
import { openFile } from '../../src/text/files/json-file.ts';
import { tempFolder } from './temp-folder.ts';
import { thrown } from './thrown.ts';

const KINDS: Record<string, (path: string) => unknown> = {
  'a named pipe': path => execFileSync('mkfifo', [path]),
  'a folder': path => mkdirSync(path),
  'a link to itself': path => symlinkSync(path, path),
  'a link to a folder': path => symlinkSync('/', path),
  'an endless device': path => symlinkSync('/dev/zero', path),
  'a socket': path =>
    new Promise<void>(resolve => {
      const server = createServer().listen(path, resolve);
      onTestFinished(() => void server.close());
    }),
};

/** Files of a model, what reads them, and what else the folder must hold. */
const READERS: readonly [name: string, read: (folder: string) => unknown, others?: object][] = [
  ['config.json', readModelTexts],
  ['tokenizer.json', readModelTexts, { 'config.json': {} }],
  ['chat_template.jinja', readModelTexts, { 'config.json': {} }],
  ['model.safetensors', folderWeights],
  ['model.safetensors.index.json', folderWeights],
  ['model.gguf', folder => readGgufModel(join(folder, 'model.gguf'))],
];

test.skipIf(process.platform === 'win32').each(Object.entries(KINDS))(
  '%s in the place of a model file is refused by its name, at once',
  async (_, make) => {
    for (const [name, read, others = {}] of READERS) {
      const folder = tempFolder(others as Record<string, object>);
      await make(join(folder, name));
      expect(
        thrown(() => read(folder)),
        name,
      ).toMatch(new RegExp(`^MODEL_BROKEN: .*${name} (is not a file|cannot be (read|opened): ELOOP)`));
    }
  },
);

test('a file is opened without waiting, even if a pipe takes its place meanwhile', () => {
  const path = join(tempFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  expect(() => openFile(path)).toThrow('is not a file');
});
