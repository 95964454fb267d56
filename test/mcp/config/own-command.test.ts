import { expect, it } from 'vitest';
import { ownMain, resolveOwnCommand } from '../../../src/mcp/config/own-command.ts';

it('finds the program from the compiled module and from the sources', () => {
  expect(ownMain('file:///opt/llm-host/dist/mcp/config/own-command.js')).toBe(
    '/opt/llm-host/dist/cli/main.js',
  );
  expect(ownMain('file:///opt/llm-host/src/mcp/config/own-command.ts')).toBe(
    '/opt/llm-host/dist/cli/main.js',
  );
  expect(ownMain('file:///opt/with%20space/dist/mcp/config/own-command.js')).toBe(
    '/opt/with space/dist/cli/main.js',
  );
});

it('leaves other commands alone', () => {
  const line = { command: '/usr/bin/llm-host', args: ['x'] };
  expect(resolveOwnCommand(line, '/main.js')).toBe(line);
  expect(resolveOwnCommand({ command: 'llm-host', args: ['x'] }, '/main.js')).toEqual({
    command: process.execPath,
    args: ['/main.js', 'x'],
  });
});
