import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Machines, machines, rankOf, ranksOf } from './machines.ts';
import { MAIN, Program, runProgram } from './program.ts';

const LIMIT = { timeout: 120_000 };
/** In which each fault has been told; of it, starting takes most. */
const TOLD_MS = 10_000;
const ASKED = ['-p', 'Hello, and good morning', '--max-tokens', '40'];

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

async function listens(port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
}

interface Refusal {
  readonly second?: Readonly<Record<string, unknown>>;
  /** Before the program starts. */
  readonly before?: (two: Machines) => Promise<unknown> | unknown;
  /** Once a process computes for it. */
  readonly meanwhile?: (rank: number) => void;
  /** Beside the name of the machine. */
  readonly says: RegExp;
}

/** The last bytes of the weights, which are of a tensor. */
function changeWeights({ dir }: Machines): void {
  const path = join(dir, 'other-model', 'model.safetensors');
  const bytes = readFileSync(path);
  bytes.fill(7, bytes.length - 64);
  writeFileSync(path, bytes);
}

describe('a model that cannot be shared: the machine is named, and nothing is left', LIMIT, () => {
  test.each<[string, Refusal]>([
    ['killed while it loads', { meanwhile: rank => process.kill(rank, 'SIGKILL'), says: /SIGKILL/ }],
    [
      'stopped while it loads',
      { meanwhile: rank => process.kill(rank, 'SIGSTOP'), says: /not answered for 5 s/ },
    ],
    [
      'other weights',
      {
        second: { model: 'other-model' },
        before: changeWeights,
        says: /has other weights than this machine/,
      },
    ],
    [
      'a port of its ring is taken',
      { before: two => listens(two.ring[1] as number), says: /another program may have its port/ },
    ],
    [
      'a port here is taken',
      { before: two => listens(two.ring[0] as number), says: /another program may have its port/ },
    ],
    [
      'it works for another program',
      {
        before: async two => {
          const first = start(two, '--json');
          await first.shows('"ready"');
        },
        says: /it works for another program already/,
      },
    ],
  ])('%s', async (_, { second, before, meanwhile, says }) => {
    const two = await machines(second);
    const worker = await two.worker();
    await before?.(two);
    const busy = ranksOf(worker);
    const program = start(two, ...ASKED);
    if (meanwhile) meanwhile(await rankOf(worker));
    const began = Date.now();
    const { code, stderr } = await program.ended;
    expect(code).not.toBe(0);
    expect(stderr).toContain(two.title);
    expect(stderr).toMatch(says);
    expect(Date.now() - began).toBeLessThan(2 * TOLD_MS);
    await expect.poll(() => ranksOf(worker), LIMIT).toEqual(busy);
  });

  test('a second worker at the same address', async () => {
    const two = await machines();
    await two.worker();
    const args = ['worker', '--listen', `127.0.0.1:${two.control}`, '--secret-file', 'secret'];
    const { code, stderr } = await runProgram(MAIN, args, { cwd: two.dir, env: two.env });
    expect(code).toBe(2);
    expect(stderr).toContain(`--listen 127.0.0.1:${two.control}: another program listens there`);
  });
});

describe('a machine that is lost in a chat: it is named, and the chat goes on here', LIMIT, () => {
  const kill = (rank: number) => process.kill(rank, 'SIGKILL');
  const stop = (rank: number) => process.kill(rank, 'SIGSTOP');

  test.each<
    [string, { prompt?: string; until: string; fault: (rank: number, worker: Program) => void; says: RegExp }]
  >([
    [
      'killed while it reads',
      { prompt: LONG, until: '"prefill"', fault: kill, says: /its process has ended \(SIGKILL\)/ },
    ],
    ['stopped while it writes', { until: '"token"', fault: stop, says: /has not answered for 5 s/ }],
    [
      'its worker stopped',
      {
        until: '"token"',
        fault: (_, worker) => {
          worker.child.kill('SIGSTOP');
          setTimeout(() => worker.child.kill('SIGCONT'), 8000);
        },
        says: /has not answered for 5 s/,
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
        says: /the connection|its process has ended/,
      },
    ],
  ])('%s', async (_, { prompt = 'Hello', until, fault, says }) => {
    const two = await machines();
    const worker = await two.worker();
    const chat = start(two, '--json', '--max-tokens', '15000');
    const rank = await rankOf(worker);
    chat.say(prompt);
    await chat.shows(until);
    const began = Date.now();
    fault(rank, worker);
    await chat.shows('"type":"error"', 3 * TOLD_MS);
    expect(Date.now() - began).toBeLessThan(TOLD_MS);
    expect(chat.stdout).toContain(two.title);
    expect(chat.stdout).toMatch(says);
    const before = chat.stdout.length;
    chat.say('Hello again');
    await expect.poll(() => chat.stdout.slice(before), LIMIT).toContain('"token"');
    await expect.poll(() => alive(rank), LIMIT).toBe(false);
    chat.child.kill('SIGINT');
    expect((await chat.ended).code).toBe(130);
  });

  test('killed between two turns: the chat says that it goes on alone, once', async () => {
    const two = await machines();
    const worker = await two.worker();
    const chat = start(two, '--json', '--max-tokens', '5');
    chat.say('Hello');
    await chat.shows('"assistant"');
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

describe('Ctrl+C on the first machine: it ends, and the worker waits for the next program', LIMIT, () => {
  test('while it connects and loads, at the prompt, while it reads and writes', async () => {
    const two = await machines();
    const worker = await two.worker();
    const moments: [until: (chat: Program) => Promise<unknown>, code: number][] = [
      [() => rankOf(worker), 130],
      [chat => chat.shows('"ready"').then(() => sleep(300)), 0],
      [chat => shows(chat, LONG, '"prefill"'), 130],
      [chat => shows(chat, 'Hello', '"token"'), 130],
    ];
    for (const [until, code] of moments) {
      const chat = start(two, '--json', '--max-tokens', '15000');
      await until(chat);
      const began = Date.now();
      chat.child.kill('SIGINT');
      expect((await chat.ended).code).toBe(code);
      expect(Date.now() - began).toBeLessThan(TOLD_MS);
      await nothingLeft(worker);
    }
    expect(worker.child.exitCode).toBeNull();
  });
});
