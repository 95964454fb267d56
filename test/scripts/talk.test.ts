import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const module = new URL('../../scripts/lib/talk.mjs', import.meta.url).href;
const CONVERSATION = 'first prompt\nsecond prompt\n';
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'talk-'));
  writeFileSync(join(dir, 'conversation.txt'), CONVERSATION);
});

afterEach(() => rmSync(dir, { recursive: true }));

const ECHO = 'process.stdin.pipe(process.stdout);';

/** talk() in a process of its own, with `program` as the program. */
function start(program: string, args: readonly string[], stdin: 'pipe' | 'ignore' | number): ChildProcess {
  const main = join(dir, 'program.mjs');
  writeFileSync(main, program);
  const driver = join(dir, 'driver.mjs');
  const options = JSON.stringify({ main, args, conversation: join(dir, 'conversation.txt') });
  writeFileSync(driver, `import { talk } from '${module}'; process.exitCode = await talk(${options});`);
  return spawn(process.execPath, [driver], { stdio: [stdin, 'pipe', 'inherit'] });
}

async function finish(child: ChildProcess) {
  const chunks: Buffer[] = [];
  child.stdout?.on('data', chunk => chunks.push(chunk));
  const code = await new Promise<number | null>(resolve => child.on('close', resolve));
  return { code, output: Buffer.concat(chunks) };
}

const shows = (child: ChildProcess, text: string) =>
  new Promise<void>(resolve => {
    child.stdout?.on('data', chunk => String(chunk).includes(text) && resolve());
  });

describe('talk', () => {
  it('gives the conversation when stdin is /dev/null', async () => {
    const { code, output } = await finish(start(ECHO, [], 'ignore'));
    expect([code, String(output)]).toEqual([0, CONVERSATION]);
  });

  it('gives the conversation when stdin is an empty pipe or file', async () => {
    const child = start(ECHO, [], 'pipe');
    child.stdin?.end();
    expect(String((await finish(child)).output)).toBe(CONVERSATION);
    writeFileSync(join(dir, 'empty'), '');
    expect(String((await finish(start(ECHO, [], openSync(join(dir, 'empty'), 'r')))).output)).toBe(
      CONVERSATION,
    );
  });

  it('passes every byte on, and nothing else', async () => {
    const bytes = Buffer.from(Array.from({ length: 1_000_000 }, (_, i) => (i * 7919) % 251));
    const child = start(ECHO, [], 'pipe');
    child.stdin?.end(bytes);
    expect(bytes.equals((await finish(child)).output)).toBe(true);
  });

  it('leaves stdin alone when a prompt is in the arguments', async () => {
    expect(String((await finish(start(ECHO, ['-p', 'x'], 'ignore'))).output)).toBe('');
  });

  it('ends with the program, though stdin stays open', async () => {
    const child = start("process.stdin.once('data', () => process.exit(7));", [], 'pipe');
    child.stdin?.write('quit\n');
    expect((await finish(child)).code).toBe(7);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('passes %s on', async signal => {
    const program = `process.on('${signal}', () => process.exit(42)); process.stdin.resume(); console.log('up');`;
    const child = start(program, [], 'pipe');
    await shows(child, 'up');
    child.kill(signal);
    expect((await finish(child)).code).toBe(42);
  });

  it('tells which signal ended the program', async () => {
    const { code } = await finish(start("process.kill(process.pid, 'SIGKILL');", [], 'ignore'));
    expect(code).toBe(137);
  });
});
