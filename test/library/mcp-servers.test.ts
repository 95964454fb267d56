import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { tool } from '../../src/library/function-host.ts';
import { NEW_ERA, scripted } from '../fixtures/mcp/http-servers.ts';
import { eventually } from '../fixtures/mcp/support.ts';
import { tempFolder } from '../model/temp-folder.ts';
import { calls, says, scriptedModel } from './fake-library-model.ts';

const POLITE = fileURLToPath(new URL('../fixtures/mcp/polite.mjs', import.meta.url));
const EXTRAS = fileURLToPath(new URL('../fixtures/mcp/extras.mjs', import.meta.url));
const TASKS = fileURLToPath(new URL('../fixtures/mcp/tasks.mjs', import.meta.url));
const SERVERS = { servers: { polite: { command: process.execPath, args: [POLITE] } } };
const alive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it('the tools of a server join the functions, which hide those of the same name; it ends with the chat', async () => {
  const echo = tool({
    description: 'Mine',
    parameters: { type: 'object', properties: {} },
    run: () => 'mine',
  });
  const file = join(tempFolder(), 'mcp.json');
  writeFileSync(file, JSON.stringify(SERVERS));
  const { model } = scriptedModel(calls('pid', {}), says('a'), calls('echo', {}), says('b'));
  const chat = model.chat({ mcp: file, tools: { echo } });
  const [pid] = (await chat.send('1')).calls;
  expect(alive(Number(pid?.result))).toBe(true);
  expect((await chat.send('2')).calls).toMatchObject([{ name: 'echo', result: 'mine' }]);
  await chat.close();
  expect(alive(Number(pid?.result))).toBe(false);
});

it('the model reads what a result links to', async () => {
  const { model } = scriptedModel(
    calls('links', {}),
    calls('read_resource', { uri: 'memo://today' }),
    says('Read.'),
  );
  const mcp = { servers: { extras: { command: process.execPath, args: [EXTRAS, 'old'] } } };
  const chat = model.chat({ mcp });
  const { calls: made } = await chat.send('What is new today?');
  expect(made.at(-1)).toMatchObject({
    name: 'read_resource',
    result: '[resource memo://today, text/plain]\nread 1',
  });
  await chat.close();
});

const tasks = (behaviour: string) => ({
  servers: { tasks: { command: process.execPath, args: [TASKS, 'new', behaviour] } },
});

it('a task that outlasts the limit of its call is waited for', async () => {
  const { model } = scriptedModel(calls('work', {}), says('done'));
  const chat = model.chat({ mcp: tasks('long'), toolTimeoutMs: 700 });
  expect(await chat.send('go')).toMatchObject({ text: 'done', calls: [{ name: 'work', result: 'worked' }] });
  await chat.close();
});

it('a chat that is closed meanwhile: the task is cancelled at its server', async () => {
  const log: string[] = [];
  const { model } = scriptedModel(calls('work', {}), says('done'));
  const onLog = (_server: string, line: string) => void log.push(line);
  const chat = model.chat({ mcp: tasks('endless'), toolTimeoutMs: 300, onLog });
  for await (const event of chat.send('go'))
    if (event.type === 'notice' && event.message.includes('still at work as a task')) void chat.close();
  await chat.close();
  expect(log).toContain('cancelled');
});

describe('while a server starts', () => {
  /** It says who it is, and nothing of the protocol. */
  const silent = {
    servers: {
      silent: {
        command: process.execPath,
        args: ['-e', 'console.error(process.pid); setInterval(() => {}, 9)'],
      },
    },
  };

  it('a reply is cancelled, and a chat closed at once, with the server', async () => {
    const log: string[] = [];
    const { model } = scriptedModel(says('never'), says('never'));
    const chat = model.chat({ mcp: silent, onLog: (_server, line) => void log.push(line) });
    const first = chat.send('1');
    setTimeout(() => first.cancel(), 10);
    expect(await first).toMatchObject({ cancelled: true });
    const reply = chat.send('2');
    await eventually(() => log.length > 0, 'it runs');
    await chat.close();
    expect(await reply).toMatchObject({ cancelled: true });
    expect(alive(Number(log[0]))).toBe(false);
  });

  it('a reply is cancelled, and the next one has its tools', async () => {
    const { model } = scriptedModel(says('never'), calls('pid', {}), says('done'));
    const chat = model.chat({ mcp: SERVERS });
    const first = chat.send('1');
    first.cancel();
    expect(await first).toMatchObject({ cancelled: true });
    expect((await chat.send('2')).calls).toMatchObject([{ name: 'pid', result: expect.any(String) }]);
    await chat.close();
  });

  it('a cancelled reply leaves the failure of the start to the next one', async () => {
    const { model } = scriptedModel(says('never'), says('never'));
    const chat = model.chat({ mcp: { servers: { gone: { command: '/no/such/program' } } } });
    const first = chat.send('1');
    setTimeout(() => first.cancel());
    await first.then(undefined, () => undefined);
    await expect(chat.send('2').then(result => result)).rejects.toMatchObject({ code: 'MCP_SERVER' });
    await chat.close();
  });
});

it.each([
  ['a server that does not start', { servers: { gone: { command: '/no/such/program' } } }, 'MCP_SERVER'],
  ['an entry that cannot be used', { servers: { odd: { command: 7 } } }, 'CONFIG'],
  ['a file that is not there', 'nowhere/mcp.json', 'CONFIG'],
])('%s is the error of the reply, and the next message tries again', async (_, mcp, code) => {
  const chat = scriptedModel().model.chat({ mcp });
  for (const text of ['1', '2']) {
    await expect(chat.send(text).then(result => result)).rejects.toMatchObject({ code });
  }
  await chat.close();
  expect(chat.messages).toEqual([]);
});

it('a list whose time is over is fetched again when a message is sent', async () => {
  const asked: string[] = [];
  const list = { ...NEW_ERA['tools/list'], ttlMs: 5000 };
  const server = await scripted({ ...NEW_ERA, 'tools/list': list }, asked);
  const lists = (): number => asked.filter(method => method === 'tools/list').length;
  const { model } = scriptedModel(says('a'), says('b'));
  const chat = model.chat({ mcp: { servers: { web: { url: server.url, allowLocalNetwork: true } } } });
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now');
  try {
    await chat.send('1');
    expect(lists()).toBe(1);
    clock.mockImplementation(() => now() + 6000);
    await chat.send('2');
    await eventually(() => lists() === 2, 'it is fetched again');
  } finally {
    clock.mockRestore();
    await chat.close();
    await server.close();
  }
});
