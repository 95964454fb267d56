import { Worker } from 'node:worker_threads';

/** Bytes read in all, where the machine has four times as much: more than caches hold. */
const TOTAL_BYTES = 1 << 29;
const ROUNDS = 4;

/**
 * Each thread looks for a byte that its part of the memory does not hold: the C library's search reads 32 bytes or
 * more an instruction and computes next to nothing, so that memory is what it waits for.
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

/** Bytes that `threads` threads read from memory in a second, all together. */
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

/** Milliseconds on a clock that all threads share. */
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
