import { Worker } from 'node:worker_threads';
import { availableMemory } from '../model/fit.ts';

/** Read in each trial, in as many passes as that takes. */
const TRIAL_BYTES = 1 << 29;
const TRIALS = 5;
/** Less than this and the calls themselves would be measured. */
const MIN_BYTES_PER_THREAD = 1 << 20;

/**
 * Each thread searches its part of the memory for a byte that is not there: the C library's search reads 32 bytes or
 * more per instruction and computes almost nothing, so it is memory-bound.
 */
const READER = `
const { parentPort, workerData } = require('node:worker_threads');
const buffer = Buffer.alloc(workerData.bytes, 1);
const now = () => performance.timeOrigin + performance.now();
parentPort.on('message', rounds => {
  const start = now();
  for (let round = 0; round < rounds; round++) buffer.indexOf(0);
  parentPort.postMessage({ start, end: now() });
});
parentPort.postMessage('ready');
`;

/** Bytes that each of the threads goes through: its part of `bytes`, or of a quarter of what is available. */
export function partBytes(threads: number, bytes: number, available = availableMemory(0)): number {
  return Math.max(MIN_BYTES_PER_THREAD, Math.ceil(Math.min(bytes, available / 4) / threads));
}

/**
 * Bytes per second that `threads` threads together read when they go through the same `bytes` again and again, as decoding
 * goes through the weights: what caches hold of them counts here as it does there. The best of several trials, since a limit
 * is what nothing else on the machine took away.
 */
export async function readBandwidth(threads: number, bytes: number): Promise<number> {
  const part = partBytes(threads, bytes);
  const rounds = Math.max(1, Math.round(TRIAL_BYTES / (part * threads)));
  const workers = Array.from(
    { length: threads },
    () => new Worker(READER, { eval: true, workerData: { bytes: part } }),
  );
  try {
    await Promise.all(workers.map(worker => answer(worker)));
    const trials: number[] = [];
    for (let trial = 0; trial < TRIALS; trial++) {
      for (const worker of workers) worker.postMessage(rounds);
      const spans = (await Promise.all(workers.map(worker => answer(worker)))) as Span[];
      const start = Math.min(...spans.map(span => span.start));
      trials.push((Math.max(...spans.map(span => span.end)) - start) / 1000);
    }
    return (part * threads * rounds) / Math.min(...trials);
  } finally {
    await Promise.all(workers.map(worker => worker.terminate()));
  }
}

/** Milliseconds on a clock shared by all threads. */
interface Span {
  readonly start: number;
  readonly end: number;
}

function answer(worker: Worker): Promise<unknown> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

const PART_BYTES = 1 << 30;

const WRITER = `
const { parentPort, workerData } = require('node:worker_threads');
const parts = workerData.map(bytes => Buffer.alloc(bytes, 1));
parentPort.postMessage(parts.length);
`;

/** Bytes of each part that is written to, at most half of what is available in all. */
export function partsOf(bytes: number, available = availableMemory(0)): number[] {
  const total = Math.max(1, Math.floor(Math.min(bytes, available / 2)));
  return Array.from({ length: Math.ceil(total / PART_BYTES) }, (_, index) =>
    Math.min(PART_BYTES, total - index * PART_BYTES),
  );
}

/**
 * Writes to `bytes` of memory, at most half of what is available, and gives them back. A virtual machine gets memory that
 * was not used for some seconds from its host again, page by page, which can take longer than loading a model: what
 * starts next finds memory that the machine has, whichever program ran before it.
 */
export async function leaveUsedMemory(bytes: number): Promise<void> {
  const worker = new Worker(WRITER, { eval: true, workerData: partsOf(bytes) });
  try {
    await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
  } finally {
    await worker.terminate();
  }
}
