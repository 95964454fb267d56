import { renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '../text/files/make-folder.ts';
import { readStart } from '../text/files/read-text-file.ts';
import { processStart } from './process-start.ts';

const BEAT_MS = 10_000;
const STALE_MS = 120_000;
/** Long enough to write the few bytes of a lock. */
const UNWRITTEN_MS = 2000;
const POLL_MS = 100;
/** A lock is shorter. */
const MAX_BYTES = 4096;

interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called once, with the holder's process id, if another process has the lock. */
  readonly onWait?: ((pid: number | undefined) => void) | undefined;
}

interface Owner {
  readonly pid: number | undefined;
  readonly host: string | undefined;
  /** See `processStart`; undefined in locks of older versions too. */
  readonly start: string | undefined;
}

interface Holder extends Owner {
  readonly text: string;
  readonly ageMs: number;
}

/**
 * Runs `work` while this process alone holds the lock file. Waits for another holder, also for one that is stopped;
 * takes over from one that is gone, or on another machine and has not touched the file for two minutes. Throws file system
 * errors.
 */
export async function withFileLock<T>(
  path: string,
  options: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  makeFolder(dirname(path));
  const text = JSON.stringify({ pid: process.pid, host: hostname(), start: processStart(process.pid) });
  await acquire(path, text, options);
  const release = () => rmSync(path, { force: true });
  const beat = setInterval(() => touch(path), BEAT_MS);
  process.on('exit', release);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    process.removeListener('exit', release);
    release();
  }
}

async function acquire(path: string, own: string, { signal, onWait }: LockOptions): Promise<void> {
  for (let told = false; ; ) {
    signal?.throwIfAborted();
    try {
      writeFileSync(path, own, { flag: 'wx' });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = readHolder(path);
    if (holder === undefined) continue;
    if (isStale(holder)) {
      takeAway(path, holder);
      continue;
    }
    if (!told) onWait?.(holder.pid);
    told = true;
    await sleep(POLL_MS, undefined, signal && { signal });
  }
}

/** undefined if the lock has been released. */
function readHolder(path: string): Holder | undefined {
  try {
    const text = textOf(path);
    return { text, ageMs: Date.now() - statSync(path).mtimeMs, ...ownerIn(text) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function textOf(path: string): string {
  return readStart(path, MAX_BYTES).bytes.toString('utf8');
}

function ownerIn(text: string): Owner {
  try {
    const { pid, host, start } = JSON.parse(text) as Owner;
    return { pid, host, start };
  } catch {
    // Being written, or cut off by a crash: its age decides.
    return { pid: undefined, host: undefined, start: undefined };
  }
}

function isStale({ pid, host, start, ageMs }: Holder): boolean {
  if (pid === undefined) return ageMs > UNWRITTEN_MS;
  if (host !== hostname()) return ageMs > STALE_MS;
  if (!isAlive(pid)) return true;
  // Its number may be another process's by now. That takes longer than a beat, and asking takes a program on macOS.
  if (ageMs <= 2 * BEAT_MS) return false;
  const now = processStart(pid);
  return now === 'ended' || (start !== undefined && now !== undefined && now !== start);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Removes a dead holder's file. Two waiters may race: a file that turns out to be another's is put back. */
function takeAway(path: string, holder: Holder): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (textOf(aside) === holder.text) rmSync(aside, { force: true });
  else renameSync(aside, path);
}

function touch(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
