import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MAIN, Program, processesWith, ROOT, runProgram } from '../program.ts';
import { fakeSsh, type Machines, machines } from './machines.ts';

/** Of this checkout, for any worker. */
const RANK = join(ROOT, 'dist', 'cli', 'worker', 'rank-process.js');
const LIMIT = { timeout: 120_000 };
const ASKED = ['-p', 'Hello, and good morning', '--max-tokens', '40'];

const alone = ({ dir, env, chat }: Machines) =>
  runProgram(MAIN, [...chat.filter(arg => !/hosts/.test(arg)), ...ASKED], { cwd: dir, env });

describe('a model over two machines', LIMIT, () => {
  test('a worker started by hand: the text of one machine, and it waits for the next program', async () => {
    const two = await machines();
    const worker = await two.worker();
    const whole = await alone(two);
    for (let turn = 0; turn < 2; turn++) {
      const shared = await runProgram(MAIN, [...two.chat, ...ASKED], { cwd: two.dir, env: two.env });
      expect(shared.stderr).toContain(`shared with ${two.title}`);
      expect(shared).toMatchObject({ code: 0, stdout: whole.stdout });
    }
    worker.child.kill('SIGTERM');
    expect((await worker.ended).code).toBe(143);
    expect(processesWith(RANK)).toEqual([]);
  });

  test('a worker started over ssh: the same, and it ends with the program', async () => {
    const two = await machines({ ssh: 'me@two' });
    const bin = fakeSsh(two.dir);
    const env = { ...two.env, PATH: `${bin}:${two.env.PATH}` };
    const shared = await runProgram(MAIN, [...two.chat, ...ASKED], { cwd: two.dir, env });
    expect(shared).toMatchObject({ code: 0, stdout: (await alone(two)).stdout });
    const said = readFileSync(join(two.dir, 'ssh.log'), 'utf8');
    expect(said).toMatch(
      /BatchMode=yes .*me@two llm-host worker --listen 127\.0\.0\.1:\d+ --secret-file - --once/,
    );
    expect(processesWith(`127.0.0.1:${two.control}`)).toEqual([]);
  });

  test('killed in a reply: the turn ends with its name, and the chat goes on here', async () => {
    const two = await machines();
    const worker = await two.worker();
    const args = [...two.chat, '--json', '--max-tokens', '15000'];
    const chat = new Program(MAIN, args, { cwd: two.dir, env: two.env });
    chat.say('Hello');
    await chat.shows('"token"');
    const [rank = ''] = processesWith(RANK);
    process.kill(Number(rank.split(' ')[0]), 'SIGKILL');
    await chat.shows('"type":"error"', 10_000);
    expect(chat.stdout).toContain(`${two.title}: its process has ended (SIGKILL); the reply ends here`);
    expect(chat.stdout).toContain('The next prompt loads the whole model on this machine');
    const before = chat.stdout.length;
    chat.say('Hello again');
    await expect.poll(() => chat.stdout.slice(before), LIMIT).toContain('"token"');
    chat.child.kill('SIGINT');
    expect((await chat.ended).code).toBe(130);
    worker.child.kill('SIGTERM');
    await worker.ended;
  });
});

describe('refused', LIMIT, () => {
  const refusal = async (two: Machines) => {
    const { code, stderr } = await runProgram(MAIN, [...two.chat, ...ASKED], { cwd: two.dir, env: two.env });
    expect(code).not.toBe(0);
    expect(processesWith(RANK)).toEqual([]);
    return stderr;
  };

  test('no worker', async () => {
    const two = await machines();
    const said = await refusal(two);
    expect(said).toContain(`${two.title} runs no worker`);
    expect(said).toContain(`llm-host worker --listen 127.0.0.1:${two.control} --secret-file FILE`);
  });

  test('another secret', async () => {
    const two = await machines();
    await two.worker({ secretFile: 'other-secret' });
    expect(await refusal(two)).toContain(`${two.title} has a different secret`);
  });
});
