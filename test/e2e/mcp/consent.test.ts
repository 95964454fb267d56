// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of mcp.json look like that
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN, ROOT, runProgram, SCRIPTED_MAIN, workplace } from '../program.ts';
import { Terminal } from '../pty.ts';

const POLITE = { command: process.execPath, args: [join(ROOT, 'test', 'fixtures', 'mcp', 'polite.mjs')] };

/** Several programs are started one after another. */
const LIMIT_MS = 180_000;

/** A folder with these servers in its mcp file, whose program asks before it starts any. */
function project(servers: object, file = 'mcp.json', inputs: object[] = []) {
  const { dir, env } = workplace({
    'config.json': '{ "SystemPrompt": "You are a helpful assistant." }',
    'script.json': JSON.stringify({ replies: [] }),
  });
  mkdirSync(join(dir, '.vscode'));
  writeFileSync(join(dir, file), JSON.stringify({ servers, inputs }));
  const { LLM_HOST_TRUST_MCP: _, ...asking } = env;
  return { dir, env: { ...asking, LLM_HOST_SCRIPT: join(dir, 'script.json') } };
}

test.each(['mcp.json', '.vscode/mcp.json', '.mcp.json'])(
  'servers of %s are not started where nobody can be asked, and the ways to allow them work',
  async file => {
    const { dir, env } = project({ polite: POLITE }, file);
    const refused = await runProgram(MAIN, ['tools'], { cwd: dir, env });
    expect(refused.stdout).toBe('polite: failed, 0 tools\n');
    expect(refused.stderr).toContain("server 'polite' was not started, you have not allowed it: ");
    expect(refused.stderr).toContain('set LLM_HOST_TRUST_MCP=1');
    expect(refused.code).toBe(69);
    const named = await runProgram(MAIN, ['tools', '--mcp', file], { cwd: dir, env });
    expect([named.stdout.split('\n')[0], named.code]).toEqual(['polite: ready, 15 tools', 0]);
  },
  LIMIT_MS,
);

test(
  'on a terminal the question comes once; a changed command asks again; no starts nothing',
  async () => {
    const { dir, env } = project({ polite: POLITE });
    const first = new Terminal(SCRIPTED_MAIN, ['x'], dir, env);
    await first.shows('yes or no [no]: ');
    expect(first.screen).toContain('polite.mjs');
    first.type('yes\r');
    await first.shows('prompt -> ');
    await first.displays('15 tools · 1/1 servers');
    first.type('quit\r');
    expect(await first.exits()).toBe(0);

    const second = new Terminal(SCRIPTED_MAIN, ['x'], dir, env);
    await second.shows('prompt -> ');
    expect(second.screen).not.toContain('yes or no');
    second.type('quit\r');
    await second.exits();

    writeFileSync(
      join(dir, 'mcp.json'),
      JSON.stringify({ servers: { polite: { ...POLITE, env: { A: '1' } } } }),
    );
    const third = new Terminal(SCRIPTED_MAIN, ['x'], dir, env);
    await third.shows('(changed since you allowed it)');
    third.type('\r');
    await third.shows('prompt -> ');
    await third.displays('was not started, it has changed since you');
    third.type('quit\r');
    expect(await third.exits()).toBe(0);
  },
  LIMIT_MS,
);

test(
  'an input is typed unseen and reaches the server; Ctrl+C at the question ends the program',
  async () => {
    const inputs = [{ type: 'promptString', id: 'key', description: 'The key', password: true }];
    const server = { ...POLITE, env: { KEY: '${input:key}' } };
    const { dir, env } = project({ polite: server }, 'mcp.json', inputs);
    const script = {
      replies: ['<tool_call>{"name": "value", "arguments": {"name": "KEY"}}</tool_call>', 'done'],
    };
    writeFileSync(join(dir, 'script.json'), JSON.stringify(script));
    const trusting = { ...env, LLM_HOST_TRUST_MCP: '1' };
    const terminal = new Terminal(SCRIPTED_MAIN, ['x'], dir, trusting);
    await terminal.shows('The key (not shown): ');
    terminal.type('hunter2-typed\r');
    await terminal.shows('prompt -> ');
    expect(terminal.screen).not.toContain('hunter2');
    terminal.type('go\r');
    await terminal.shows('Result: hunter2-typed');
    terminal.type('quit\r');
    await terminal.exits();

    const cancelled = new Terminal(SCRIPTED_MAIN, ['x'], dir, trusting);
    await cancelled.shows('The key (not shown): ');
    cancelled.type('\u0003');
    expect(await cancelled.exits()).toBe(130);
  },
  LIMIT_MS,
);

test('without a terminal an input comes from its variable, or the server is left out with its name', async () => {
  const { dir, env } = project({ polite: { ...POLITE, env: { KEY: '${input:key}' } } }, 'mcp.json', [
    { type: 'promptString', id: 'key' },
  ]);
  const args = ['tools', '--mcp', 'mcp.json'];
  const missing = await runProgram(MAIN, args, { cwd: dir, env });
  expect(missing.stderr).toContain("input 'key' has no value: set LLM_HOST_INPUT_KEY");
  const given = await runProgram(MAIN, args, { cwd: dir, env: { ...env, LLM_HOST_INPUT_KEY: 'k' } });
  expect([given.stderr, given.code]).toEqual(['', 0]);
});

test('init writes an mcp.json whose servers start without a question, and names the schema', async () => {
  const { dir, env } = project({});
  const folder = join(dir, 'new');
  mkdirSync(folder);
  await runProgram(MAIN, ['init'], { cwd: folder, env });
  expect(readFileSync(join(folder, 'mcp.json'), 'utf8')).toMatch(
    /"\$schema": "file:\/\/.*\/mcp\.schema\.json"/,
  );
  const { code, stderr, stdout } = await runProgram(MAIN, ['tools'], { cwd: folder, env });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('files: ready, 4 tools');
});

test(
  '--ask: no goes to the model, always is asked once; --tools hides the rest; nobody to ask is a refusal',
  async () => {
    const call = '<tool_call>{"name": "echo", "arguments": {"text": "hi"}}</tool_call>';
    const { dir, env } = project({ polite: POLITE });
    writeFileSync(join(dir, 'script.json'), JSON.stringify({ replies: [call, call, call, 'done'] }));
    const trusting = { ...env, LLM_HOST_TRUST_MCP: '1' };
    const terminal = new Terminal(SCRIPTED_MAIN, ['x', '--ask', '--tools', 'ec?o,pid'], dir, trusting);
    await terminal.shows('prompt -> ');
    await terminal.displays('2 tools · 1/1 servers');
    terminal.type('go\r');
    await terminal.displays(`Run echo(text="hi") of server 'polite'?`);
    terminal.type('no\r');
    await terminal.displays("ERROR: The user declined the call of 'echo'");
    await terminal.displays('allow it in every chat');
    terminal.type('always\r');
    const lines = (await terminal.displays('assistant -> done')).join('\n');
    expect(lines.split('Result: hi')).toHaveLength(3);
    const unwrapped = lines.replaceAll(/\s*\n[│\s]*/g, ' ');
    expect(unwrapped.split('is now always allowed (')).toHaveLength(2);
    terminal.type('tools\r');
    await terminal.shows('pid (polite)');
    expect(terminal.screen).not.toContain('env (polite)');
    terminal.type('quit\r');
    expect(await terminal.exits()).toBe(0);

    writeFileSync(join(dir, 'script.json'), JSON.stringify({ replies: [call, 'never said'] }));
    const cancelled = new Terminal(SCRIPTED_MAIN, ['x', '--ask'], dir, trusting);
    await cancelled.shows('prompt -> ');
    cancelled.type('go\r');
    await cancelled.displays('allow it in every chat');
    cancelled.type('\u0003');
    await cancelled.displays('[cancelled]');
    cancelled.type('tools\r');
    await cancelled.shows('pid (polite)');
    cancelled.type('quit\r');
    expect(await cancelled.exits()).toBe(0);
    expect(cancelled.screen).not.toContain('Result:');

    writeFileSync(join(dir, 'script.json'), JSON.stringify({ replies: [call, 'done'] }));
    const ended = await runProgram(SCRIPTED_MAIN, ['x', '--ask', '-p', 'go'], { cwd: dir, env: trusting });
    expect(ended.stderr).toContain(
      "ERROR: The tool 'echo' needs the user's approval, and nobody can be asked",
    );
    expect([ended.stdout, ended.code]).toEqual(['done\n', 77]);
  },
  LIMIT_MS,
);
