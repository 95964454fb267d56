import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processStart } from './process-start.mjs';

const BEAT_MS = 10_000;
const STALE_MS = 120_000;

/**
 * Runs `work` while this process holds the lock file. Waits for another holder, also for one that is stopped; takes over
 * from one that is gone, or on another machine and has not touched the file for two minutes.
 * @template T
 * @param {string} path
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, work) {
  mkdirSync(dirname(path), { recursive: true });
  const start = processStart(process.pid);
  await acquire(path, JSON.stringify({ pid: process.pid, host: hostname(), start }));
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

async function acquire(path, own) {
  for (let told = false; ; ) {
    try {
      writeFileSync(path, own, { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = readHolder(path);
    if (holder === undefined) continue;
    if (isStale(holder)) {
      takeAway(path, holder);
      continue;
    }
    if (!told) process.stderr.write(`Waiting for another set-up (process ${holder.pid ?? 'unknown'}) ...\n`);
    told = true;
    await sleep(200);
  }
}

/** The lock's text, owner and age; undefined if it was released meanwhile. */
function readHolder(path) {
  try {
    const text = readFileSync(path, 'utf8');
    const ageMs = Date.now() - statSync(path).mtimeMs;
    return { text, ageMs, ...parseOwner(text) };
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function parseOwner(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {}; // Just being written, or cut off by a crash: then its age decides.
  }
}

function isStale({ pid, host, start, ageMs }) {
  if (pid === undefined || host !== hostname()) return ageMs > STALE_MS;
  if (!isAlive(pid)) return true;
  // Its number may be another process's by now, which takes longer than a beat.
  if (ageMs <= 2 * BEAT_MS) return false;
  const now = processStart(pid);
  return now === 'ended' || (start !== undefined && now !== undefined && now !== start);
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Removes a dead holder's file. Two waiters may race: a file taken from a live holder is put back. */
function takeAway(path, holder) {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (readFileSync(aside, 'utf8') === holder.text) rmSync(aside, { force: true });
  else renameSync(aside, path);
}

function touch(path) {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}
