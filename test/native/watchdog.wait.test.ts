import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
import { afterAll, expect, test } from 'vitest';
import { tinyModel } from './tiny/tiny-model.ts';

const CHILD = fileURLToPath(new URL('watchdog-child.mjs', import.meta.url));
const ADDON = fileURLToPath(new URL('../../build/Release/llm_host.node', import.meta.url));
const SPEC = serialize(tinyModel().spec).toString('base64');
const TIMEOUT = { timeout: 60_000 };

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

interface Run {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Milliseconds from the first signal, or from being blocked, to the end. */
  readonly tookMs: number;
}

/** Sends the signals, `gapMs` apart, once the child says that it blocks. */
async function run(
  plan: string,
  signals: readonly NodeJS.Signals[] = [],
  { gapMs = 20, delayMs = 0 } = {},
): Promise<Run> {
  const child = spawn(process.execPath, [CHILD, plan, process.env.LLM_HOST_ADDON ?? ADDON, SPEC]);
  children.push(child);
  let [stdout, stderr, begun] = ['', '', performance.now()];
  child.stdout.on('data', chunk => {
    stdout += chunk;
  });
  const ended = new Promise<Run>(resolve => {
    child.on('close', (code, signal) =>
      resolve({ code, signal, stdout, stderr, tookMs: performance.now() - begun }),
    );
  });
  await new Promise<void>(resolve => {
    child.stderr.on('data', chunk => {
      stderr += chunk;
      if (stderr.includes('blocked')) resolve();
    });
    void ended.then(() => resolve());
  });
  await sleep(delayMs);
  begun = performance.now();
  for (const signal of signals) {
    child.kill(signal);
    await sleep(gapMs);
  }
  return await ended;
}

// These wait for the watchdog's two seconds, at once; what has to be quick comes after them.
test.concurrent.each([
  ['loop', 'SIGINT', 130],
  ['loop', 'SIGTERM', 143],
  ['loop', 'SIGHUP', 129],
  ['microtasks', 'SIGTERM', 143],
  ['wait', 'SIGINT', 130],
  ['exit', 'SIGTERM', 143],
  ['loading', 'SIGTERM', 143],
] as const)('blocked by %s: %s ends the process after 2 s with %i', TIMEOUT, async (plan, signal, code) => {
  const { tookMs, ...ended } = await run(plan, [signal]);
  const stderr = `blocked\nError: ${signal} ended the program, which was busy and did not answer\n`;
  expect(ended).toEqual({ code, signal: null, stdout: '', stderr });
  expect(tookMs).toBeGreaterThan(1800);
  expect(tookMs).toBeLessThan(6000);
});

test.concurrent('JavaScript that comes back in time handles the signal itself', TIMEOUT, async () => {
  expect(await run('busy', ['SIGINT'])).toMatchObject({ code: 1, signal: null, stdout: 'SIGINT\n' });
});

test.concurrent('a signal after it came back starts a new count', TIMEOUT, async () => {
  const ended = await run('busy', ['SIGINT', 'SIGTERM'], { gapMs: 1500 });
  expect(ended).toMatchObject({ code: 2, signal: null, stdout: 'SIGINT\nSIGTERM\n' });
});

test.concurrent('while paused, signals wait for JavaScript', TIMEOUT, async () => {
  expect(await run('paused', ['SIGINT', 'SIGTERM'])).toMatchObject({
    code: 2,
    signal: null,
    stdout: 'SIGINT\nSIGTERM\n',
  });
});

test.concurrent('a stopped process has its time after it goes on', TIMEOUT, async () => {
  const child = spawn(process.execPath, [CHILD, 'busy', process.env.LLM_HOST_ADDON ?? ADDON]);
  children.push(child);
  const ended = new Promise(resolve => child.on('close', code => resolve(code)));
  await new Promise<void>(resolve => child.stderr.once('data', () => resolve()));
  child.kill('SIGTERM');
  await sleep(100);
  child.kill('SIGSTOP');
  await sleep(3000);
  child.kill('SIGCONT');
  expect(await ended).toBe(1);
});

test('a second signal ends it sooner, with the code of the first', TIMEOUT, async () => {
  const { code, tookMs } = await run('loop', ['SIGINT', 'SIGTERM']);
  expect(code).toBe(130);
  expect(tookMs).toBeLessThan(1500);
});

test('a load in native code: the listener of the signal runs, the load is cut', TIMEOUT, async () => {
  const { code, signal, stderr, tookMs } = await run('loading-exit', ['SIGTERM']);
  expect({ code, signal, stderr }).toEqual({ code: 143, signal: null, stderr: 'blocked\n' });
  expect(tookMs).toBeLessThan(1500);
});

test('many signals at once end it once', TIMEOUT, async () => {
  const { code, stderr } = await run('loop', Array(200).fill('SIGTERM'), { gapMs: 0 });
  expect(code).toBe(143);
  expect(stderr.match(/Error/g)).toHaveLength(1);
});

test('a limit ends a clean-up that does not end; one that does keeps its code', TIMEOUT, async () => {
  const cut = await run('limit');
  expect(cut).toMatchObject({ code: 9, signal: null, stderr: 'blocked\n' });
  expect(cut.tookMs).toBeLessThan(3000);
  expect(await run('limit-kept')).toMatchObject({ code: 4, signal: null });
});
