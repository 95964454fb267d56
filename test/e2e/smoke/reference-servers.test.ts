import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { everythingOverHttp, referenceEntries } from '../../fixtures/mcp/reference-servers.ts';
import { processesLeft, runProgram, SCRIPTED_MAIN, workplace } from '../program.ts';
import { Terminal } from '../pty.ts';

const LIMIT_MS = 300_000;
const call = (name: string, args: object = {}) =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
const BLOCKS = [
  call('echo', { message: 'hi' }),
  call('get-tiny-image'),
  call('get-structured-content', { location: 'Chicago' }),
  call('get-resource-reference', { resourceType: 'Text', resourceId: 1 }),
  call('get-resource-links', { count: 2 }),
];
const SHOWN = ['Echo: hi', '[image image/png', '"temperature"', '[resource demo://', '[link demo://'];

function place(servers: (folder: string) => object, replies: readonly string[]) {
  const { dir, env } = workplace({
    'config.json': '{ "SystemPrompt": "You are a helpful assistant." }',
    'script.json': JSON.stringify({ replies, charsPerToken: 200, contextLength: 1_000_000 }),
    'note.txt': 'kept here',
  });
  const folder = realpathSync(dir);
  writeFileSync(join(dir, 'mcp.json'), JSON.stringify({ servers: servers(folder) }));
  return { folder, env: { ...env, LLM_HOST_SCRIPT: join(dir, 'script.json') } };
}

test('all four reference servers on the screen: every kind of result, four steps of progress, a form', {
  timeout: LIMIT_MS,
}, async () => {
  const thought = { thought: 'one', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
  const entity = { name: 'Ada', entityType: 'person', observations: ['wrote programs'] };
  // The folder is known once the workplace is there.
  const replies: string[] = [];
  const { folder, env } = place(referenceEntries, replies);
  replies.push(
    [
      ...BLOCKS,
      call('read_text_file', { path: join(folder, 'note.txt') }),
      call('create_entities', { entities: [entity] }),
      call('sequentialthinking', thought),
    ].join(''),
    'Blocks.',
    call('trigger-long-running-operation', { duration: 4, steps: 4 }),
    'Steps.',
    call('trigger-elicitation-request'),
    'Form.',
  );
  writeFileSync(
    join(folder, 'script.json'),
    JSON.stringify({ replies, charsPerToken: 200, contextLength: 1_000_000 }),
  );
  const size = { cols: 120, rows: 40 };
  const terminal = new Terminal(SCRIPTED_MAIN, ['x', '--tool-timeout', '120'], folder, env, size);
  await terminal.displays('4/4 servers', { limitMs: LIMIT_MS });
  let tools: readonly string[] = [];
  for (let times = 1; !tools.some(line => line.startsWith('get-roots-list (')); times++) {
    // This tool and others come after the handshake, by list_changed.
    terminal.type('tools\r');
    const listed = await terminal.displays('sequentialthinking (sequential-thinking)', { times });
    tools = listed.filter(line => /^\S+ \((everything|filesystem|memory|sequential-thinking)\): /.test(line));
  }
  expect(new Set(tools.map(line => line.split(':')[0])).size).toBeGreaterThanOrEqual(37);

  terminal.type('blocks\r');
  const blocks = (await terminal.displays('assistant -> Blocks.')).join('\n');
  for (const text of [...SHOWN, 'kept here', 'wrote programs', 'thoughtNumber'])
    expect(blocks).toContain(text);
  expect(blocks).not.toContain('ERROR');

  terminal.type('steps\r');
  for (const step of ['1 of 4', '2 of 4', '3 of 4']) await terminal.shows(step);
  await terminal.displays('assistant -> Steps.');

  terminal.type('form\r');
  await terminal.displays('yes or no [no]:');
  terminal.type('yes\r');
  await terminal.displays('String (Your full, legal name)');
  terminal.type('Ada\r');
  // The other fields have defaults or may be empty; Enter at the prompt asks nothing.
  while (!terminal.screen.includes('assistant -> Form.')) {
    terminal.type('\r');
    await sleep(100);
  }
  expect((await terminal.emulator.lines(true)).join('\n')).toMatch(/Result: .*accept|Ada/i);
  terminal.type('bye\r');
  expect(await terminal.exits()).toBe(0);
  expect(await processesLeft(folder)).toEqual([]);
});

test('server-everything over Streamable HTTP through the whole program', { timeout: LIMIT_MS }, async () => {
  const { url, child } = await everythingOverHttp('streamableHttp');
  onTestFinished(() => void child.kill('SIGKILL'));
  const replies = [
    BLOCKS.join(''),
    'Blocks.',
    call('trigger-long-running-operation', { duration: 1, steps: 4 }),
    'Steps.',
  ];
  const { folder, env } = place(() => ({ everything: { url, allowLocalNetwork: true } }), replies);
  const { stdout, stderr, code } = await runProgram(SCRIPTED_MAIN, ['x', '--plain'], {
    cwd: folder,
    env,
    stdin: 'blocks\nsteps\n',
  });
  for (const text of [...SHOWN, 'assistant -> Blocks.', 'assistant -> Steps.'])
    expect(stdout).toContain(text);
  expect(stdout).not.toContain('ERROR');
  expect(stderr).toMatch(/Server everything: \d+ tools/);
  expect(code).toBe(0);
});
