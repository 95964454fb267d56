import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { manyWords } from '../../fixtures/many-words.ts';
import { MAIN, Program, runProgram, SCRIPTED_MAIN, workplace } from '../program.ts';
import { Terminal } from '../pty.ts';

const TIMEOUT = { timeout: 120_000 };
const CALCULATOR = { calculator: { command: process.execPath, args: [MAIN, 'server', 'calculator'] } };
const call = (name: string, args: object) =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;

/** A server that runs until the test ends, and its address. */
async function serving(main: string, model: string, script: object = {}, args: readonly string[] = []) {
  const { dir, env } = workplace({ 'script.json': JSON.stringify(script) });
  const server = new Program(main, ['serve', model, '--port', '0', '--no-mcp', ...args], {
    cwd: dir,
    env: { ...env, LLM_HOST_SCRIPT: join(dir, 'script.json') },
  });
  return { server, url: await server.url() };
}

describe('--connect', TIMEOUT, () => {
  test('llm-host --connect: the real demo model over its server, with tools of this side: -p and --json', async () => {
    const { url } = await serving(MAIN, 'demo');
    const { dir, env } = workplace({ 'mcp.json': JSON.stringify({ servers: CALCULATOR }) });
    const sum = await runProgram(MAIN, ['--connect', url, '-p', 'What is 17 + 25?'], { cwd: dir, env });
    expect(sum).toMatchObject({ code: 0, stdout: '17 + 25 is 42.\n' });
    expect(sum.stderr).toContain('Calling tool: add(a=17, b=25)');
    expect(sum.stderr).toContain(`demo at ${url}, context 8192`);
    const events = await runProgram(
      MAIN,
      ['demo', '--connect', url, '--json', '--no-mcp', '-p', 'What is the capital of France?'],
      { cwd: dir, env },
    );
    const types = events.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as { type: string; device?: string });
    expect(types.find(({ type }) => type === 'ready')?.device).toBe('served');
    expect(types.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['prefill', 'token', 'assistant', 'stats']),
    );
  });

  test('the screen: a call on this side, Ctrl+C ends the request, the server goes away', async () => {
    const replies = [
      call('add', { a: 1, b: 2 }),
      'It is 3.',
      manyWords(5000),
      'Still there.',
      manyWords(5000),
    ];
    const { server, url } = await serving(SCRIPTED_MAIN, 'x', { replies, msPerToken: 5 }, [
      '--api-key',
      'secret',
    ]);
    const { dir, env } = workplace({ 'mcp.json': JSON.stringify({ servers: CALCULATOR }) });
    const terminal = new Terminal(MAIN, ['--connect', url], dir, { ...env, LLM_HOST_API_KEY: 'secret' });
    await terminal.displays('1/1 servers');
    terminal.type('sum\r');
    await terminal.displays('assistant -> It is 3.');
    expect((await terminal.emulator.lines()).join('\n')).toContain('Calling tool: add(a=1, b=2)');
    terminal.type('write\r');
    await terminal.displays('assistant -> word word');
    terminal.type('\u0003');
    await terminal.displays('[cancelled]');
    const metrics = async () =>
      await (await fetch(`${url}/metrics`, { headers: { authorization: 'Bearer secret' } })).text();
    // This request is one.
    await expect.poll(metrics, { timeout: 20_000 }).toMatch(/requests_in_flight 1$|active[a-z_]* 1$/m);
    terminal.type('there?\r');
    await terminal.displays('assistant -> Still there.');
    terminal.type('write\r');
    await terminal.displays('assistant -> word word', { times: 2 });
    server.child.kill('SIGKILL');
    await terminal.displays('disconnected during the reply');
    terminal.type('hello?\r');
    await terminal.displays('No server can be reached');
    terminal.type('bye\r');
    expect(await terminal.exits()).toBe(0);
  });

  test('nobody there: exit 69', async () => {
    const { dir, env } = workplace({});
    const ended = await runProgram(MAIN, ['--connect', '127.0.0.1:9', '-p', 'hi'], { cwd: dir, env });
    expect(ended).toMatchObject({ code: 69, stdout: '' });
    expect(ended.stderr).toContain('No server can be reached at http://127.0.0.1:9');
  });
});
