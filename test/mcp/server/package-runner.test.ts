import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isCold } from '../../../src/mcp/server/package-runner.ts';
import { tempFolder } from '../../model/temp-folder.ts';

const entry = (command: string, ...args: string[]) => ({
  name: 'x',
  transport: 'stdio' as const,
  command,
  args,
  env: {},
  cwd: '/',
});

test.each([
  ['npx', ['-y', 'known'], false],
  ['npx', ['-y', 'known@1.2.3'], false],
  ['npx', ['-y', '@scope/known@latest'], false],
  ['npx', ['-y', 'unknown'], true],
  ['/usr/bin/npx', ['-p', 'unknown', 'bin'], true],
  ['npx.cmd', ['--package', 'known', 'bin'], false],
  ['npx', ['./here'], false],
  ['npx', ['https://example.com/x.tgz'], false],
  ['npx', [], false],
  ['uvx', ['known_tool'], false],
  ['uvx', ['Known.Tool==1.0'], false],
  ['uvx', ['--from', 'unknown', 'bin'], true],
  ['uvx', ['unknown[extra]'], true],
  ['uvx', ['installed'], false],
  ['uvx', ['--python', '3.12', 'unknown'], true],
  ['uvx', ['git+https://example.com/x'], false],
  ['node', ['unknown'], false],
])('%s %j has to be installed first: %s', (command, args, cold) => {
  const home = tempFolder();
  for (const folder of [
    '.npm/_npx/abc/node_modules/known',
    '.npm/_npx/def/node_modules/@scope/known',
    '.cache/uv/wheels-v5/pypi/known-tool',
    '.local/share/uv/tools/installed',
  ])
    mkdirSync(join(home, folder), { recursive: true });
  expect(isCold(entry(command, ...args), { HOME: home })).toBe(cold);
});

test('without any cache all is cold; a server at an address never is', () => {
  const env = { HOME: tempFolder() };
  expect(isCold(entry('npx', 'x'), env)).toBe(true);
  expect(isCold(entry('uvx', 'x'), env)).toBe(true);
  const remote = { name: 'x', transport: 'http', url: 'https://x/', headers: {}, localAccess: 'never' };
  expect(isCold(remote as unknown as Parameters<typeof isCold>[0], env)).toBe(false);
});
