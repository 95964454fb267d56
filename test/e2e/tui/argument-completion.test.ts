import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FIXTURES } from '../../fixtures/mcp/support.ts';
import { SCRIPTED_MAIN, workplace } from '../program.ts';
import { Terminal } from '../pty.ts';

test('names and values of arguments are completed on the screen, values by their server', {
  timeout: 120_000,
}, async () => {
  const server = { command: process.execPath, args: [join(FIXTURES, 'extras.mjs'), 'old'] };
  const { dir, env } = workplace({
    'config.json': '{ "SystemPrompt": "Be brief." }',
    'mcp.json': JSON.stringify({ servers: { x: server } }),
    'script.json': '{ "replies": [] }',
  });
  const terminal = new Terminal(SCRIPTED_MAIN, ['x', '--quiet'], dir, {
    ...env,
    LLM_HOST_SCRIPT: join(dir, 'script.json'),
  });
  await terminal.displays('1/1 servers');
  // Prompts are listed a moment after the tools.
  await expect
    .poll(
      async () => {
        terminal.type('/mcp prompts\r');
        return (await terminal.emulator.lines(true)).join('\n');
      },
      { timeout: 30_000, interval: 500 },
    )
    .toContain('/x:review language=... level=[...] - Review my code');
  terminal.type('/x:review ');
  await terminal.displays('level=');
  terminal.type('language=t\t');
  await terminal.displays('/x:review language=typescript');
  terminal.type('\u0015/x:review language=p');
  await terminal.displays('pascal');
  terminal.type('\t\t');
  await terminal.displays('/x:review language=perl');
  terminal.type('\u0003');
  terminal.type('bye\r');
  expect(await terminal.exits()).toBe(0);
});
