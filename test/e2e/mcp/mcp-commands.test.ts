import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../fixtures/mcp/http-servers.ts';
import { behindLogin } from '../../fixtures/mcp/login-server.ts';
import { MAIN, Program, ROOT, runProgram, SCRIPTED_MAIN, workplace } from '../program.ts';

const LIMIT_MS = 300_000;
const CALCULATOR = { command: process.execPath, args: [MAIN, 'server', 'calculator'] };
const POLITE = join(ROOT, 'test', 'fixtures', 'mcp', 'polite.mjs');
const polite = { command: process.execPath, args: [POLITE] };
const call = (name: string, args: object) =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;

function place(servers: object, replies: readonly string[] = [], config: object = {}) {
  const { dir, env } = workplace({
    'config.json': JSON.stringify({ SystemPrompt: 'You are a helpful assistant.', ...config }),
    'mcp.json': JSON.stringify({ servers }),
    'script.json': JSON.stringify({ replies }),
  });
  return { cwd: dir, env: { ...env, LLM_HOST_SCRIPT: join(dir, 'script.json') } };
}

test('/mcp: servers switched on and off, added, removed; the next prompt has their tools and instructions', {
  timeout: LIMIT_MS,
}, async () => {
  const echo = call('echo', { text: 'through' });
  const replies = [1, 2, 3, 4].flatMap(turn => [echo, `Turn ${turn}.`]);
  const where = place({ calculator: CALCULATOR, later: { ...polite, disabled: true } }, replies);
  const stdin = [
    '/mcp',
    'one',
    '/mcp enable later',
    'two',
    '/system',
    '/mcp disable later',
    'three',
    '/system',
    `/mcp add more ${process.execPath} ${POLITE}`,
    'four',
    '/expand 3',
    '/mcp restart more',
    '/mcp remove more',
    '/mcp add calculator x',
    '/mcp add lonely',
    '/mcp add web http://127.0.0.1:1/mcp Authorization',
    '/mcp enable latter',
    '/mcp frobnicate later',
    '/mcp remove',
    '/mcp',
  ];
  const { stdout, code } = await runProgram(SCRIPTED_MAIN, ['x', '--plain'], {
    ...where,
    stdin: `${stdin.join('\n')}\n`,
  });
  const answers = stdout.split('prompt -> ').map(turn => turn.slice(turn.indexOf('\n') + 1));
  const [, states, one, enabled, two, itsWords, disabled, three, noWords, added, four, ...rest] = answers;
  expect(states).toBe('calculator: ready, 6 tools\nlater: disabled\n');
  expect(one).toContain("There is no tool 'echo'");
  expect(enabled).toBe('later: ready, 15 tools\n');
  expect(two).toContain('Result: through (took');
  expect(itsWords).toBe('You are a helpful assistant.\n\nlater:\nBe polite.\n');
  expect(disabled).toBe('later: disabled\n');
  expect(three).toContain("There is no tool 'echo'");
  expect(noWords).toBe('You are a helpful assistant.\n');
  expect(added).toBe('more: ready, 15 tools\n');
  expect(four).toContain('Result: through (took');
  expect(rest).toEqual([
    'Result 3 of 4 from the last, echo:\nthrough\n',
    'more: ready, 15 tools\n',
    'more: removed\n',
    "Error: server 'calculator' already exists\n",
    'Error: /mcp add lonely: a command or a url is missing\n',
    'Error: /mcp add web: a url takes no arguments\nHeaders go into mcp.json.\n',
    "Error: there is no server 'latter'\nDid you mean 'later'?\n",
    expect.stringContaining('Error: there is no /mcp frobnicate\n/mcp, /mcp add NAME'),
    expect.stringContaining('Error: /mcp remove: a name is missing\n'),
    'calculator: ready, 6 tools\nlater: disabled\n',
    expect.anything(),
  ]);
  expect(code).toBe(0);
});

test('`tools` shows what config.json lets through, and says how many it does not', async () => {
  const where = place({ calculator: CALCULATOR }, [], { tools: { blocked: ['add', 'DIV*'] } });
  const { stdout, code } = await runProgram(MAIN, ['tools'], where);
  expect(stdout).toContain('calculator: ready, 4 tools (2 not offered to the model)\n  subtract(');
  expect(stdout).not.toMatch(/^ {2}(add|divide)\(/m);
  expect(code).toBe(0);
  writeFileSync(join(where.cwd, 'config.json'), '{ "SystemPrompt": ');
  const broken = await runProgram(MAIN, ['tools'], where);
  expect([broken.stderr, broken.code]).toEqual([
    expect.stringContaining('Error: Invalid JSON in config.json'),
    78,
  ]);
});

test('`tools`: a description of several lines does not look like further tools', async () => {
  const inputSchema = { type: 'object' };
  const described = [
    { name: 'one', description: 'First.\n  two() - Not a tool.\nLast.\n', inputSchema },
    { name: 'three', inputSchema },
  ];
  const args = [join(ROOT, 'test', 'fixtures', 'mcp', 'small.mjs'), 'small', JSON.stringify(described)];
  const where = place({ small: { command: process.execPath, args } });
  const { stdout } = await runProgram(MAIN, ['tools'], where);
  expect(stdout).toContain(
    'small: ready, 2 tools\n  one() - First.\n      two() - Not a tool.\n    Last.\n  three()\n',
  );
});

test('`tools --login`: through the browser once, then without a question; what cannot be logged in to', {
  timeout: LIMIT_MS,
}, async () => {
  const server = await behindLogin();
  onTestFinished(() => server.close());
  const where = place({ web: { url: server.url }, calculator: CALCULATOR });
  const tools = ['tools', '--mcp', 'mcp.json'];
  const before = await runProgram(MAIN, tools, where);
  expect(before.stderr).toContain("Server 'web' asks for a login\nRun `llm-host tools --login web`.");
  expect(server.tokens).toEqual([]);

  const login = new Program(MAIN, [...tools, '--login', 'web'], where);
  const address = /^http:\/\/127\.0\.0\.1:\d+\/authorize\?\S+$/m;
  while (!address.test(login.stderr)) await new Promise(resolve => setTimeout(resolve, 20));
  const page = await fetch(address.exec(login.stderr)?.[0] ?? '');
  expect(await page.text()).toContain('Login complete');
  const { stdout, code } = await login.ended;
  expect([stdout.split('\n')[0], code]).toEqual(['web: ready, 4 tools', 0]);

  const logins = join(where.cwd, 'home', '.local', 'state', 'llm-host', 'logins');
  const [file = '', ...others] = readdirSync(logins).map(name => join(logins, name));
  expect(others).toEqual([]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toContain('token-0');
  const after = await runProgram(MAIN, tools, where);
  expect(after.stdout).toContain('web: ready, 4 tools');
  expect(server.tokens).toHaveLength(1);

  const program = await runProgram(MAIN, [...tools, '--login', 'calculator'], where);
  expect([program.stderr, program.code]).toEqual([expect.stringContaining('needs no login'), 2]);
  const unknown = await runProgram(MAIN, [...tools, '--login', 'nobody'], where);
  expect([unknown.stderr, unknown.code]).toEqual([expect.stringContaining("no server 'nobody'"), 2]);
});

test('the research server in a chat, over a stand-in of arXiv', { timeout: LIMIT_MS }, async () => {
  const entry = `<entry><id>http://arxiv.org/abs/2301.01234v2</id><published>2023-01-03T18:00:00Z</published>
    <title>Attention and its uses</title><summary>We show it.</summary><author><name>Ada</name></author></entry>`;
  const stand = await listen((_request, response) =>
    response.end(`<feed xmlns="http://www.w3.org/2005/Atom">${entry}</feed>`),
  );
  onTestFinished(() => stand.close());
  const args = [MAIN, 'server', 'research', '--base-url', `http://127.0.0.1:${stand.port}/api`];
  const replies = [call('search_papers', { topic: 'attention', max_results: 1 }), 'One paper.'];
  const where = place({ research: { command: process.execPath, args } }, replies);
  const { stdout, code } = await runProgram(SCRIPTED_MAIN, ['x', '--plain'], { ...where, stdin: 'find\n' });
  expect(stdout).toMatch(/Result: 2301\.01234\S*: Attention and its uses \(2023-01-03.*\) \(took /);
  expect([stdout.includes('assistant -> One paper.'), code]).toEqual([true, 0]);
});
