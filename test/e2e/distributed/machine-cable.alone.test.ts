import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tensorWire } from '../../../src/model/distributed/wire.ts';
import { type Ended, MAIN, Program, runProgram } from '../program.ts';
import { Cable, whyNoCable } from './cable.ts';
import { type Machines, machines, rankOf, ranksOf, tellsAndGoesOn, toldInTime } from './machines.ts';

const LIMIT = { timeout: 60_000 };
const FLOAT32_BYTES = 4;

const whyNot = whyNoCable();

describe.skipIf(whyNot !== undefined)(`a cable between two machines ${whyNot ?? ''}`, LIMIT, () => {
  async function setUp() {
    const cable = await Cable.lay();
    const two = await machines({}, cable);
    return { cable, two, worker: await two.worker() };
  }

  /** The same on one machine, and on two with a cable between them. */
  async function ask(cable: Cable, { chat, dir, env }: Machines, tokens: number): Promise<[Ended, Ended]> {
    const asked = ['-p', 'Hello', '--max-tokens', `${tokens}`];
    const alone = chat.filter(arg => !/hosts/.test(arg));
    return await Promise.all([
      runProgram(MAIN, [...alone, ...asked], { cwd: dir, env }),
      runProgram(MAIN, [...chat, ...asked], { cwd: dir, env, under: cable.on[0] }),
    ]);
  }

  // A token takes some 16 messages one after the other, and each that is lost 0.2 s.
  test.each([
    ['loss 0.05', 8],
    ['delay 0.2', 2],
  ])('%s: slower, and the same reply', async (order, tokens) => {
    const { cable, two, worker } = await setUp();
    cable.tell(order);
    const [alone, shared] = await ask(cable, two, tokens);
    expect(shared.stderr).toContain(`shared with ${two.title}`);
    expect(shared).toMatchObject({ code: 0, stdout: alone.stdout });
    await expect.poll(() => ranksOf(worker), LIMIT).toEqual([]);
  });

  test.for<[string, string, RegExp]>([
    ['cut while it writes', 'cut', /has not answered for 5 s/],
    ['only the data cut', 'data', /the data between the machines no longer arrives/],
  ])('%s: the machine is named, and the chat goes on here', async ([, what, says], context) => {
    const { cable, two, worker } = await setUp();
    const args = [...two.chat, '--json', '--max-tokens', '15000'];
    const chat = new Program(MAIN, args, { cwd: two.dir, env: two.env, under: cable.on[0] });
    const rank = await rankOf(worker);
    chat.say('Hello');
    await chat.shows('"token"');
    const began = Date.now();
    cable.tell(what === 'data' ? `cut ${two.ring.join(' ')}` : what);
    await tellsAndGoesOn(chat, two, { began, says }, context);
    // The worker too has heard nothing for so long, and waits for the next program.
    await expect.poll(() => ranksOf(worker), LIMIT).not.toContain(rank);
    expect(worker.child.exitCode).toBeNull();
    chat.child.kill('SIGINT');
    expect((await chat.ended).code).toBe(130);
  });

  test('cut while it connects: the machine is named', async context => {
    const { cable, two } = await setUp();
    cable.tell('cut');
    const began = Date.now();
    const [, { code, stderr }] = await ask(cable, two, 1);
    expect(code).not.toBe(0);
    expect(stderr).toContain(`${two.title} cannot be reached`);
    await toldInTime(began, context);
  });

  test('only the data cut while it loads: the machine is named, with where it must be reached', async context => {
    const { cable, two, worker } = await setUp();
    cable.tell(`cut ${two.ring.join(' ')}`);
    const replies = ask(cable, two, 1);
    await rankOf(worker);
    const began = Date.now();
    const [, { code, stderr }] = await replies;
    expect(code).not.toBe(0);
    expect(stderr).toContain(two.title);
    expect(stderr).toContain('had not all connected after 7.5 s');
    expect(stderr).toContain(two.ring.map((port, index) => `${cable.addresses[index]}:${port}`).join(', '));
    await toldInTime(began, context);
    await expect.poll(() => ranksOf(worker), LIMIT).toEqual([]);
  });

  test('cut for two seconds: it waits, and the reply is the same', async () => {
    const { cable, two, worker } = await setUp();
    const replies = ask(cable, two, 400);
    await rankOf(worker);
    // It writes: the prompt takes less than half of it.
    await expect.poll(() => cable.carried(two.ring), { ...LIMIT, interval: 5 }).toBeGreaterThan(300_000);
    cable.tell('cut');
    setTimeout(() => cable.tell('whole'), 2000);
    const [alone, shared] = await replies;
    expect(shared).toMatchObject({ code: 0, stdout: alone.stdout });
  });

  test('inspect --probe finds the delay', async () => {
    const cable = await Cable.lay();
    const two = await machines({ memoryGB: 1, bandwidthGBs: 10 }, cable);
    await two.worker();
    cable.tell('delay 0.03');
    const args = ['inspect', two.chat[0] as string, '--hosts', 'hosts.json', '--probe', '--json'];
    const { stdout } = await runProgram(MAIN, args, { cwd: two.dir, env: two.env, under: cable.on[0] });
    const { probe } = JSON.parse(stdout);
    expect(probe).toMatchObject([{ title: two.title }]);
    expect(probe[0].latency).toBeGreaterThan(0.03);
    expect(probe[0].latency).toBeLessThan(0.06);
  });

  test('whole: it carries as many bytes a token as foretold', async ({ annotate }) => {
    const { cable, two } = await setUp();
    const carried: number[] = [];
    for (const tokens of [10, 110]) {
      const before = await cable.carried(two.ring);
      const [, { code }] = await ask(cable, two, tokens);
      expect(code).toBe(0);
      carried.push((await cable.carried(two.ring)) - before);
    }
    const { num_hidden_layers: layers, hidden_size: width } = JSON.parse(
      readFileSync(join(two.dir, 'model', 'config.json'), 'utf8'),
    );
    const link = { bytesPerSecond: 1, latency: 0, mesh: false };
    const foretold = tensorWire(link, 2, layers, width * FLOAT32_BYTES).bytes;
    const [few = 0, more = 0] = carried;
    const counted = (more - few) / 100;
    await annotate(`${counted} bytes a token, foretold ${foretold}`);
    // What was thought lost goes twice.
    expect(counted / foretold).toBeCloseTo(1, 1);
  });
});
