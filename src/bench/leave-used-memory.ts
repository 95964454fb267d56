import { Worker } from 'node:worker_threads';
import { availableMemory } from '../model/fit.ts';

const PART_BYTES = 1 << 30;

const THREAD = `
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
  const worker = new Worker(THREAD, { eval: true, workerData: partsOf(bytes) });
  try {
    await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
  } finally {
    await worker.terminate();
  }
}
