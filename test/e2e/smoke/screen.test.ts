import { join } from 'node:path';
import { expect, test } from 'vitest';
import { manyWords } from '../../fixtures/many-words.ts';
import { ROOT } from '../program.ts';
import { CALCULATOR, calling } from '../scripted.ts';
import { expectRestored, startScreen } from '../scripted-screen.ts';

const LIMIT_MS = 180_000;
const POLITE = { command: process.execPath, args: [join(ROOT, 'test', 'fixtures', 'mcp', 'polite.mjs')] };
const isServerNotice = (line: string | undefined) => line?.startsWith('│ Notice: Server');

/** Without the times, and the notices about servers that a busy machine is slow to start. */
const masked = (lines: readonly string[]) =>
  lines
    .filter((line, row) => !isServerNotice(line) && !(line === '' && isServerNotice(lines[row - 1])))
    .join('\n')
    .replaceAll(/\d\d:\d\d:\d\d/g, 'HH:MM:SS')
    .replaceAll(/\d+\.\d\ds/g, 'X.XXs');

test('a turn with two tool calls, a timeout, then bye: the screen as it is left', {
  timeout: LIMIT_MS,
}, async () => {
  const terminal = await startScreen(
    {
      replies: [
        calling('add', { a: 17, b: 25 }) + calling('multiply', { a: 6, b: 7 }),
        'Both are **42** 漢字 👩‍👩‍👧.',
        calling('wait'),
        'Too slow.',
      ],
    },
    { servers: { calculator: CALCULATOR, polite: POLITE }, args: ['--tool-timeout', '1', '--quiet'] },
  );
  // The prompt does not wait for slow servers.
  await terminal.displays('2/2 servers');
  terminal.type('sums?\r');
  await terminal.displays('assistant -> Both are 42');
  terminal.type('wait\r');
  await terminal.displays('assistant -> Too slow.');
  terminal.type('bye\r');
  expect(await terminal.exits()).toBe(0);
  expect(masked(await terminal.emulator.lines(true))).toBe(
    `
▌ prompt -> sums?

│ [HH:MM:SS] Calling tool: add(a=17, b=25) ... (took X.XXs)
│ [HH:MM:SS] Result: 42
│ [HH:MM:SS] Calling tool: multiply(a=6, b=7) ... (took X.XXs)
│ [HH:MM:SS] Result: 42

assistant -> Both are 42 漢字 👩‍👩‍👧.

▌ prompt -> wait

│ [HH:MM:SS] Calling tool: wait() ... (took X.XXs)
│ [HH:MM:SS] ERROR: Tool 'wait' timed out after 1.0s

assistant -> Too slow.

▌ prompt -> bye`,
  );
  for (const exact of [
    'Calling tool: add(a=17, b=25) ...',
    "Tool 'wait' timed out after 1.0s",
    'assistant -> Too slow.',
  ]) {
    expect(terminal.screen).toContain(exact);
  }
  expect(terminal.screen).not.toMatch(/\[3J|\[2J/);
  expectRestored(terminal);
});

test('Esc cancels, Ctrl+C cancels, prompts typed meanwhile wait their turn', {
  timeout: LIMIT_MS,
}, async () => {
  const long = manyWords(5000);
  const terminal = await startScreen({ replies: [long, long, 'The end.'], msPerToken: 5 });
  terminal.type('one\r');
  await terminal.displays('assistant -> word');
  terminal.type('two\rthree\r');
  await terminal.displays('queued: three');
  terminal.type('\u001b');

  await terminal.displays('prompt -> two\n\nassistant -> word');
  terminal.type('\u0003');
  const lines = await terminal.displays('assistant -> The end.');
  expect(lines.join('\n').match(/\[cancelled\]/g)).toHaveLength(2);
  terminal.type('\u0003');
  expect(await terminal.exits()).toBe(0);
  expectRestored(terminal);
});
