import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withFileLock } from '../../src/hub/file-lock.ts';
import { processStart } from '../../src/hub/process-start.ts';
import { tempFolder } from '../model/temp-folder.ts';

/** A process that does nothing. */
async function sleeper(): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  await once(child, 'spawn');
  onTestFinished(() => void child.kill('SIGKILL'));
  return child as ChildProcess & { readonly pid: number };
}

/** A lock that was last touched so many minutes ago. */
function lockOf(owner: object, minutes: number): string {
  const path = join(tempFolder(), 'some.lock');
  writeFileSync(path, JSON.stringify(owner));
  const then = new Date(Date.now() - minutes * 60_000);
  utimesSync(path, then, then);
  return path;
}

/** Whether the lock is taken over at once. */
async function isTaken(path: string): Promise<boolean> {
  const before = readFileSync(path, 'utf8');
  const taken = await withFileLock(path, { signal: AbortSignal.timeout(400) }, async () => true).catch(
    (error: Error) => error.name !== 'AbortError' && error.name !== 'TimeoutError' && Promise.reject(error),
  );
  expect(taken ? existsSync(path) : readFileSync(path, 'utf8')).toBe(taken ? false : before);
  return taken;
}

const host = hostname();

test.skipIf(process.platform === 'win32')('a stopped process keeps its lock, however long', async () => {
  const { pid } = await sleeper();
  process.kill(pid, 'SIGSTOP');
  const start = processStart(pid);
  expect(start).toMatch(/\d/);
  expect(await isTaken(lockOf({ pid, host, start }, 60))).toBe(false);
  // An older version did not write when it started.
  expect(await isTaken(lockOf({ pid, host }, 60))).toBe(false);
});

test.skipIf(process.platform === 'win32')('a later process with its number does not', async () => {
  const { pid } = await sleeper();
  expect(await isTaken(lockOf({ pid, host, start: 'earlier' }, 3))).toBe(true);
  expect(await isTaken(lockOf({ pid, host, start: 'earlier' }, 0))).toBe(false);
});

test('nor does one that is gone, or one on another machine that is silent', async () => {
  const child = await sleeper();
  const start = processStart(child.pid);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await isTaken(lockOf({ pid: child.pid, host, start }, 0))).toBe(true);
  const elsewhere = { pid: process.pid, host: `not-${host}`, start };
  expect(await isTaken(lockOf(elsewhere, 3))).toBe(true);
  expect(await isTaken(lockOf(elsewhere, 1))).toBe(false);
});

test.runIf(process.platform === 'linux')(
  'nor one that has ended and that nobody has waited for',
  async () => {
    // The shell has become another program by then, which waits for nobody.
    const parent = spawn('sh', ['-c', 'sleep 1 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const pid = Number(String((await once(parent.stdout, 'data'))[0]));
    await expect.poll(() => processStart(pid), { timeout: 10_000 }).toBe('ended');
    expect(await isTaken(lockOf({ pid, host, start: '1' }, 1))).toBe(true);
  },
);

test('what a process says of its start stays the same', async () => {
  const start = processStart(process.pid);
  expect(processStart(process.pid)).toBe(start);
  const path = join(tempFolder(), 'own.lock');
  await withFileLock(path, {}, async () => {
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ pid: process.pid, host, start });
  });
});
