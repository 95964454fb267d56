import { Worker } from 'node:worker_threads';

/** Bytes read in total if the machine has four times as much: more than its caches hold. */
const TOTAL_BYTES = 1 << 29;
const ROUNDS = 4;

/**
 * Each thread searches its part of the memory for a byte that is not there: the C library's search reads 32 bytes or
 * more per instruction and computes almost nothing, so it is memory-bound.
 */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const buffer = Buffer.alloc(workerData.bytes, 1);
const now = () => performance.timeOrigin + performance.now();
parentPort.on('message', rounds => {
  const start = now();
  for (let round = 0; round < rounds; round++) buffer.indexOf(0);
  parentPort.postMessage({ start, end: now() });
  parentPort.close();
});
parentPort.postMessage('ready');
`;

/** Bytes per second that `threads` threads together read from memory. */
export async function readBandwidth(threads: number): Promise<number> {
  const bytes = Math.floor(Math.min(TOTAL_BYTES, process.availableMemory() / 4) / threads);
  const workers = Array.from(
    { length: threads },
    () => new Worker(THREAD, { eval: true, workerData: { bytes } }),
  );
  try {
    await Promise.all(workers.map(worker => answer(worker)));
    for (const worker of workers) worker.postMessage(ROUNDS);
    const spans = (await Promise.all(workers.map(worker => answer(worker)))) as Span[];
    const seconds =
      (Math.max(...spans.map(({ end }) => end)) - Math.min(...spans.map(({ start }) => start))) / 1000;
    return (bytes * threads * ROUNDS) / seconds;
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
