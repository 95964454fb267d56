// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of mcp.json look like that
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadMcpConfig } from '../../../src/mcp/config/config.ts';
import { parseEnvFile } from '../../../src/mcp/config/resolve.ts';
import { tempFolder } from '../../model/temp-folder.ts';

const parse = (text: string) => Object.fromEntries(parseEnvFile(text, '.env'));

it.each([
  ['A=1\nB=two words', { A: '1', B: 'two words' }],
  ['# c\r\n\r\nexport A = x # comment\r\n', { A: 'x' }],
  ['A="x # y"\nB=\'$z "q"\'', { A: 'x # y', B: '$z "q"' }],
  ['A="line\\nnext \\"q\\" \\\\"', { A: 'line\nnext "q" \\' }],
  ['A=\nB=""', { A: '', B: '' }],
  ['A=a=b#c', { A: 'a=b#c' }],
  ['A=1\nA=2', { A: '2' }],
  ['A=${HOME}', { A: '${HOME}' }],
  ['__proto__=x', JSON.parse('{"__proto__": "x"}')],
])('%j', (text, expected) => {
  expect(Object.entries(parse(text))).toEqual(Object.entries(expected));
});

it.each(['A=1\nno equals sign', 'x\n1A=2', 'A=1\nB="open', 'x=1\nA="a" b', '=1'])(
  'refuses %j with the line',
  text => {
    expect(() => parse(text)).toThrow(/^\.env:[12] is not NAME=value$/);
  },
);

function load(folder: string, envFile: string) {
  const entry = { command: 'run', envFile, env: { B: 'entry', C: null } };
  return loadMcpConfig(JSON.stringify({ servers: { x: entry } }), join(folder, 'mcp.json'));
}

it('is found beside mcp.json, and env wins over it', () => {
  const folder = tempFolder();
  writeFileSync(join(folder, '.env'), '\uFEFFA=file\nB=file\nC=file\nAPI_KEY=hidden-value\n');
  const config = load(folder, '.env');
  expect(config.servers[0]).toMatchObject({ env: { A: 'file', B: 'entry', C: null } });
  expect(config.secrets).toEqual(['hidden-value']);
});

it('that is missing, a folder, a pipe, too large or no text disables the server', () => {
  const folder = tempFolder();
  mkdirSync(join(folder, 'sub'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  writeFileSync(join(folder, 'large'), 'A='.padEnd(300_000, 'x'));
  writeFileSync(join(folder, 'binary'), Buffer.from([0x41, 0x3d, 0xff, 0xfe, 0xfd]));
  const messages = ['none', 'sub', 'pipe', 'large', 'binary', '/dev/zero'].map(
    file => load(folder, file).failures[0]?.error.split('\n')[0],
  );
  expect(messages.map(line => line?.replace(/^.*'envFile': \S+ /, ''))).toEqual([
    'does not exist',
    'is not a file',
    'is not a file',
    'is larger than 256 KB',
    'is not UTF-8 text',
    'is not a file',
  ]);
});
