import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readTextFile } from '../../../src/text/files/read-text-file.ts';
import { tempFolder } from '../../model/temp-folder.ts';

it('readTextFile reads UTF-8 and marked UTF-16, without the mark', () => {
  const folder = tempFolder({ plain: 'é', marked: '\uFEFFé' });
  writeFileSync(join(folder, 'le'), Buffer.from('\uFEFFé', 'utf16le'));
  writeFileSync(join(folder, 'be'), Buffer.from('\uFEFFé', 'utf16le').swap16());
  for (const name of ['plain', 'marked', 'le', 'be']) expect(readTextFile(join(folder, name), 100)).toBe('é');
});

it('readTextFile refuses what is no text file of that size', () => {
  const folder = tempFolder({ large: 'x'.repeat(101), broken: new Uint8Array([0x61, 0xff]) });
  mkdirSync(join(folder, 'folder'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const messages = ['large', 'broken', 'folder', 'pipe', 'none'].map(name => {
    try {
      return readTextFile(join(folder, name), 100);
    } catch (error) {
      return (error as Error).message.replace(`${join(folder, name)} `, '');
    }
  });
  expect(messages).toEqual([
    'is larger than 0 KB',
    'is not UTF-8 text',
    'is not a file',
    'is not a file',
    'does not exist',
  ]);
});

it('readTextFile reads a pipe that the user named', async () => {
  const pipe = join(tempFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const writer = spawn('sh', ['-c', `printf hello > "$0"`, pipe]);
  expect(readTextFile(pipe, 100, { pipes: true })).toBe('hello');
  await new Promise(done => writer.on('exit', done));
});
