import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { MAIN, Program, processesLeft } from '../program.ts';
import { type Machines, machines, rankOf, ranksOf, tellsAndGoesOn, toldInTime } from './machines.ts';

const LIMIT = { timeout: 60_000 };
const LONG = 'x'.repeat(12_000);

const start = (two: Machines, ...args: string[]) =>
  new Program(MAIN, [...two.chat, ...args], { cwd: two.dir, env: two.env });

const shows = (chat: Program, prompt: string, text: string) => {
  chat.say(prompt);
  return chat.shows(text);
};

const alive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const nothingLeft = (worker: Program) => expect.poll(() => ranksOf(worker), LIMIT).toEqual([]);

interface Loss {
  readonly prompt?: string;
  /** What the chat has shown when it happens. */
  readonly until: string;
  readonly fault: (rank: number, worker: Program) => void;
  readonly says: RegExp;
}

describe('a machine that is lost in a chat: it is named, and the chat goes on here', LIMIT, () => {
  const kill = (rank: number) => process.kill(rank, 'SIGKILL');
  const stop = (rank: number) => process.kill(rank, 'SIGSTOP');
  const KILLED = /its process has ended \(SIGKILL\)/;
  const SILENT = /has not answered for 5 s/;
  const GONE = /the connection|its process has ended/;

  test.for<[string, Loss]>([
    ['killed while it reads', { prompt: LONG, until: '"prefill"', fault: kill, says: KILLED }],
    ['killed while it writes', { until: '"token"', fault: kill, says: KILLED }],
    ['stopped while it reads', { prompt: LONG, until: '"prefill"', fault: stop, says: SILENT }],
    ['stopped while it writes', { until: '"token"', fault: stop, says: SILENT }],
    [
      'its worker killed',
      { until: '"token"', fault: (_, worker) => void worker.child.kill('SIGKILL'), says: GONE },
    ],
    [
      'its worker stopped',
      {
        until: '"token"',
        fault: (_, worker) => {
          worker.child.kill('SIGSTOP');
          setTimeout(() => worker.child.kill('SIGCONT'), 8000);
        },
        says: SILENT,
      },
    ],
    [
      'Ctrl+C in its worker, twice',
      {
        until: '"token"',
        fault: (_, worker) => {
          worker.child.kill('SIGINT');
          setTimeout(() => worker.child.kill('SIGINT'), 50);
        },
        says: GONE,
      },
    ],
  ])('%s', async ([, { prompt = 'Hello', until, fault, says }], context) => {
    const two = await machines();
    const worker = await two.worker();
    const chat = start(two, '--json', '--max-tokens', '15000');
    const rank = await rankOf(worker);
    await shows(chat, prompt, until);
    const began = Date.now();
    fault(rank, worker);
    await tellsAndGoesOn(chat, two, { began, says }, context);
    await expect.poll(() => alive(rank), { timeout: 15_000 }).toBe(false);
    chat.child.kill('SIGINT');
    expect((await chat.ended).code).toBe(130);
  });

  test('killed between two turns: the chat says that it goes on alone, once', async () => {
    const two = await machines();
    const worker = await two.worker();
    const chat = start(two, '--json', '--max-tokens', '5');
    await shows(chat, 'Hello', '"assistant"');
    process.kill(await rankOf(worker), 'SIGKILL');
    await nothingLeft(worker);
    await sleep(300);
    const before = chat.stdout.length;
    chat.say('Hello again');
    await expect.poll(() => chat.stdout.slice(before), LIMIT).toContain('"token"');
    expect(chat.stdout).not.toContain('"type":"error"');
    const said = `${two.title}: its process has ended (SIGKILL); this machine loads the whole model to go on alone`;
    chat.say('And again');
    await expect.poll(() => chat.stdout.split('"type":"assistant"').length, LIMIT).toBe(4);
    expect(chat.stdout.split(said)).toHaveLength(2);
  });
});

describe('the first machine ends: the worker waits for the next program', LIMIT, () => {
  const moments: [string, (chat: Program, worker: Program) => Promise<unknown>, code: number][] = [
    ['while it connects and loads', (_, worker) => rankOf(worker), 130],
    ['at the prompt', chat => chat.shows('"ready"').then(() => sleep(300)), 0],
    ['while it reads', chat => shows(chat, LONG, '"prefill"'), 130],
    ['while it writes', chat => shows(chat, 'Hello', '"token"'), 130],
  ];

  test.for(moments)('Ctrl+C %s', async ([, until, code], context) => {
    const two = await machines();
    const worker = await two.worker();
    const chat = start(two, '--json', '--max-tokens', '15000');
    await until(chat, worker);
    const began = Date.now();
    chat.child.kill('SIGINT');
    expect((await chat.ended).code).toBe(code);
    await nothingLeft(worker);
    await toldInTime(began, context);
    expect(worker.child.exitCode).toBeNull();
    // Nor of the program.
    expect(await processesLeft(`${two.dir}/model`)).toEqual([]);
  });

  test('killed while it writes', async context => {
    const two = await machines();
    const worker = await two.worker();
    const chat = start(two, '--json', '--max-tokens', '15000');
    await shows(chat, 'Hello', '"token"');
    const began = Date.now();
    chat.child.kill('SIGKILL');
    await nothingLeft(worker);
    await toldInTime(began, context);
    const next = start(two, '--json', '--max-tokens', '5');
    await shows(next, 'Hello', '"assistant"');
    next.child.kill('SIGINT');
    await next.ended;
  });
});
