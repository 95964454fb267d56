import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MAIN, Program, runProgram } from '../program.ts';
import { type Machines, machines, otherVersion, rankOf, ranksOf, toldInTime } from './machines.ts';

const LIMIT = { timeout: 60_000 };
/** Time for two processes of a busy machine to start, and for the fault to be reported. */
const STARTED_AND_TOLD_MS = 15_000;
const ASKED = ['-p', 'Hello, and good morning', '--max-tokens', '40'];

async function listens(port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
}

/** The last bytes of the weights, which are of a tensor. */
function changeWeights({ dir }: Machines): void {
  const path = join(dir, 'other-model', 'model.safetensors');
  const bytes = readFileSync(path);
  bytes.fill(7, bytes.length - 64);
  writeFileSync(path, bytes);
}

const freed = (worker: Program) => expect.poll(() => ranksOf(worker), LIMIT).toEqual([]);

interface Refusal {
  readonly second?: Readonly<Record<string, unknown>>;
  /** Before the program starts. */
  readonly before?: (two: Machines) => Promise<unknown> | unknown;
  /** Once a process computes for it. */
  readonly meanwhile?: (rank: number) => void;
  /** Beside the name of the machine. */
  readonly says: RegExp;
}

describe('a model that cannot be shared: the machine is named, and nothing is left', LIMIT, () => {
  test.for<[string, Refusal]>([
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
          const options = { cwd: two.dir, env: two.env };
          await new Program(MAIN, [...two.chat, '--json'], options).shows('"ready"');
        },
        says: /it works for another program already/,
      },
    ],
  ])('%s', async ([, { second, before, meanwhile, says }], context) => {
    const two = await machines(second);
    const worker = await two.worker();
    await before?.(two);
    const busy = ranksOf(worker);
    let began = Date.now();
    const program = new Program(MAIN, [...two.chat, ...ASKED], { cwd: two.dir, env: two.env });
    program.child.stdin.end();
    if (meanwhile) {
      meanwhile(await rankOf(worker));
      began = Date.now();
    }
    const { code, stderr } = await program.ended;
    expect(code).not.toBe(0);
    expect(stderr).toContain(two.title);
    expect(stderr).toMatch(says);
    await toldInTime(began, context, STARTED_AND_TOLD_MS);
    await expect.poll(() => ranksOf(worker), LIMIT).toEqual(busy);
  });

  test('its worker is of another version', async context => {
    const two = await machines();
    const worker = await two.worker({ main: otherVersion(two.dir, '0.0.9') });
    const began = Date.now();
    const { code, stderr } = await runProgram(MAIN, [...two.chat, ...ASKED], { cwd: two.dir, env: two.env });
    expect(code).not.toBe(0);
    expect(stderr).toContain(`${two.title} has llm-host 0.0.9, this machine`);
    await toldInTime(began, context);
    await freed(worker);
  });

  test('a second worker at the same address', async context => {
    const two = await machines();
    await two.worker();
    const args = ['worker', '--listen', `127.0.0.1:${two.control}`, '--secret-file', 'secret'];
    const began = Date.now();
    const { code, stderr } = await runProgram(MAIN, args, { cwd: two.dir, env: two.env });
    expect(code).toBe(2);
    expect(stderr).toContain(`--listen 127.0.0.1:${two.control}: another program listens there`);
    await toldInTime(began, context);
  });
});

describe('three machines, of which one fails: it is named, and the other one is free again', LIMIT, () => {
  async function three() {
    const all = await machines({}, undefined, 3);
    const program = () => {
      const started = new Program(MAIN, [...all.chat, ...ASKED], { cwd: all.dir, env: all.env });
      started.child.stdin.end();
      return started;
    };
    return { all, third: all.more[0] as Machines['more'][0], program };
  }

  test('it never comes', async context => {
    const { all, third, program } = await three();
    const worker = await all.worker();
    const began = Date.now();
    const { code, stderr } = await program().ended;
    expect(code).not.toBe(0);
    expect(stderr).toContain(`${third.title} runs no worker`);
    await toldInTime(began, context);
    await freed(worker);
  });

  test('it listens, and never answers', async context => {
    const { all, third, program } = await three();
    const [worker, silent] = [await all.worker(), await third.worker()];
    silent.child.kill('SIGSTOP');
    const began = Date.now();
    const { code, stderr } = await program().ended;
    expect(code).not.toBe(0);
    expect(stderr).toContain(`${third.title} cannot be reached (ETIMEDOUT)`);
    await toldInTime(began, context);
    await freed(worker);
  });

  test('it comes, and is killed before the group is complete', async context => {
    const { all, third, program } = await three();
    const [worker, killed] = [await all.worker(), await third.worker()];
    const started = program();
    process.kill(await rankOf(killed), 'SIGKILL');
    const began = Date.now();
    const { code, stderr } = await started.ended;
    expect(code).not.toBe(0);
    expect(stderr).toContain(`${third.title}: its process has ended (SIGKILL)`);
    await toldInTime(began, context);
    await Promise.all([freed(worker), freed(killed)]);
  });
});
