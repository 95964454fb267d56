import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const module = new URL('../../scripts/lib/lock.mjs', import.meta.url).href;
let dir: string;
let lock: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lock-'));
  lock = join(dir, 'a.lock');
});

afterEach(() => rmSync(dir, { recursive: true }));

/** A process that holds the lock while it runs `work`, in which `file` is a path to write to. */
function holder(work: string) {
  const script = join(dir, `holder-${Math.random().toString(36).slice(2)}.mjs`);
  writeFileSync(
    script,
    `import { appendFileSync } from 'node:fs';
     import { setTimeout as sleep } from 'node:timers/promises';
     import { withLock } from ${JSON.stringify(module)};
     const say = text => appendFileSync(${JSON.stringify(join(dir, 'log'))}, text);
     await withLock(${JSON.stringify(lock)}, async () => { ${work} });`,
  );
  const child = spawn(process.execPath, [script], { stdio: 'ignore' });
  const ended = new Promise<number | null>(resolve => child.on('close', code => resolve(code)));
  return { child, ended };
}

const log = () => readFileSync(join(dir, 'log'), 'utf8');

describe('withLock', () => {
  it('lets one process in at a time', async () => {
    const holders = [1, 2, 3, 4].map(() => holder(`say('('); await sleep(50); say(')');`));
    expect(await Promise.all(holders.map(({ ended }) => ended))).toEqual([0, 0, 0, 0]);
    expect(log()).toBe('()()()()');
    expect(existsSync(lock)).toBe(false);
  });

  it('is released when the work throws', async () => {
    expect(await holder(`throw new Error('x');`).ended).toBe(1);
    expect(existsSync(lock)).toBe(false);
  });

  it('is released by process.exit', async () => {
    expect(await holder('process.exit(5);').ended).toBe(5);
    expect(existsSync(lock)).toBe(false);
  });

  it('is taken over from a process that was killed', async () => {
    const first = holder(`say('first '); await sleep(60_000);`);
    while (!existsSync(join(dir, 'log'))) await new Promise(resolve => setTimeout(resolve, 20));
    first.child.kill('SIGKILL');
    await first.ended;
    expect(existsSync(lock)).toBe(true);
    expect(await holder(`say('second');`).ended).toBe(0);
    expect(log()).toBe('first second');
  });

  /** The lock is of so many minutes ago. */
  const age = (minutes: number) => {
    const then = new Date(Date.now() - minutes * 60_000);
    utimesSync(lock, then, then);
  };

  it.skipIf(process.platform === 'win32')('stays with a process that is stopped, however long', async () => {
    const first = holder(`say('('); await sleep(1000); say(')');`);
    while (!existsSync(join(dir, 'log'))) await new Promise(resolve => setTimeout(resolve, 1));
    first.child.kill('SIGSTOP');
    age(60);
    const second = holder(`say('()');`);
    await new Promise(resolve => setTimeout(resolve, 2000));
    first.child.kill('SIGCONT');
    expect(await Promise.all([first.ended, second.ended])).toEqual([0, 0]);
    expect(log()).toBe('()()');
  });

  it.skipIf(process.platform === 'win32')('does not stay with a later process of its number', async () => {
    writeFileSync(lock, JSON.stringify({ pid: process.pid, host: hostname(), start: 'earlier' }));
    age(3);
    expect(await holder(`say('in');`).ended).toBe(0);
    expect(log()).toBe('in');
  });

  it('of another machine is left alone while it is fresh', async () => {
    writeFileSync(lock, JSON.stringify({ pid: 1, host: `not-${hostname()}` }));
    const waiting = holder(`say('in');`);
    await new Promise(resolve => setTimeout(resolve, 600));
    expect(existsSync(join(dir, 'log'))).toBe(false);
    rmSync(lock);
    expect(await waiting.ended).toBe(0);
  });
});
