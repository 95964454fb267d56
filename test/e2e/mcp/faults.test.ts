import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { faults, offered, script } from '../../fixtures/mcp/faults.mjs';
import { MAIN, Program, processesLeft, processesWith, SCRIPTED_MAIN, workplace } from '../program.ts';
import { Terminal } from '../pty.ts';

const LIMIT_MS = 300_000;
const CALCULATOR = { command: process.execPath, args: [MAIN, 'server', 'calculator'] };

/** A workplace with these servers beside the calculator. */
function place(replies: object, servers: (note: string) => Readonly<Record<string, object>>) {
  const { dir, env } = workplace({
    'config.json': '{ "SystemPrompt": "You are a helpful assistant." }',
    'script.json': JSON.stringify(replies),
  });
  const note = join(dir, 'grandchild');
  const all = { ...servers(note), calculator: CALCULATOR };
  writeFileSync(join(dir, 'mcp.json'), JSON.stringify({ servers: all }));
  return { dir, env: { ...env, LLM_HOST_SCRIPT: join(dir, 'script.json') }, note };
}

/** What is left of the servers: the marked processes, and the grandchild that does not carry the mark. */
async function leftOf(mark: string, note: string): Promise<string[]> {
  const grandchild = `${readFileSync(note, 'utf8')} ${process.execPath} -e `;
  return [...(await processesLeft(mark)), ...(await processesLeft(grandchild))];
}

test('one chat with every server that misbehaves: each is told, the chat goes on, nothing is left', {
  timeout: LIMIT_MS,
}, async () => {
  const mark = `mark-${randomUUID()}`;
  const table = faults({ mark, note: '' });
  const { dir, env, note } = place(script(table), path =>
    Object.fromEntries(
      Object.entries(faults({ mark, note: path })).map(([name, { entry }]) => [name, entry]),
    ),
  );
  const program = new Program(SCRIPTED_MAIN, ['x', '--plain'], { cwd: dir, env });
  await program.shows('Ready.', LIMIT_MS);
  for (const [server, fault] of Object.entries(table)) {
    if (fault.tool === undefined) {
      expect.soft(program.stderr, `a server that ${fault.what}`).toMatch(fault.shows);
      continue;
    }
    const from = program.stdout.length;
    program.say(server);
    await program.shows(`assistant -> after ${server}\n`, LIMIT_MS);
    const turn = program.stdout.slice(from);
    expect.soft(turn).toContain(`Calling tool: ${offered(server, fault)}() ...`);
    expect.soft(turn, `a server that ${fault.what}`).toMatch(fault.shows);
  }
  program.say('2+2');
  await program.shows('assistant -> four', LIMIT_MS);
  expect(program.stdout).toMatch(/Calling tool: add\(a=2, b=2\) \.\.\.\n\[[\d:]+\] Result: 4 \(took/);
  program.say('quit');
  expect(await program.ended).toMatchObject({ code: 0, signal: null });
  expect(await leftOf(mark, note)).toEqual([]);
});

describe('the program itself is killed in the middle of a call', () => {
  const call = '<tool_call>\n{"name": "run", "arguments": {}}\n</tool_call>';

  const hanging = (mark: string) => (note: string) => {
    const { runner, grandchild } = faults({ mark, note }) as Record<string, { entry: { args: string[] } }>;
    return {
      // The call goes to this one; the other is what has to be ended too.
      never: {
        ...runner?.entry,
        args: runner?.entry.args.map(word => (word === 'stubborn' ? 'never' : word)),
      },
      grandchild: { ...grandchild?.entry, deny: ['*'] },
    };
  };

  test.each([
    ['SIGKILL', null],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ] as const)('%s: exit %s, no process left', { timeout: LIMIT_MS }, async (signal, code) => {
    const mark = `mark-${randomUUID()}`;
    const { dir, env, note } = place({ replies: [call] }, hanging(mark));
    const program = new Program(SCRIPTED_MAIN, ['x', '--plain'], { cwd: dir, env });
    await program.shows('Ready.');
    program.say('go');
    await program.shows('Calling tool: run() ...');
    expect(processesWith(mark).length).toBeGreaterThanOrEqual(3);
    program.child.kill(signal);
    expect(await program.ended).toMatchObject({ code, signal: code === null ? signal : null });
    expect(await leftOf(mark, note)).toEqual([]);
  });

  test('Ctrl+C cancels the call, and the chat goes on with the same servers', {
    timeout: LIMIT_MS,
  }, async () => {
    const mark = `mark-${randomUUID()}`;
    const sum = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 1}}\n</tool_call>';
    const { dir, env, note } = place({ replies: [call, sum, 'Two.'] }, hanging(mark));
    const terminal = new Terminal(SCRIPTED_MAIN, ['x'], dir, env);
    await terminal.shows('\u001b[?2004h');
    terminal.type('go\r');
    await terminal.displays('run 0.');
    terminal.type('\u0003');
    await terminal.displays('[cancelled]');
    terminal.type('sum\r');
    await terminal.displays('assistant -> Two.');
    terminal.type('\u0003');
    expect(await terminal.exits()).toBe(0);
    expect(await leftOf(mark, note)).toEqual([]);
  });
});
