import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Coverage } from './coverage.ts';
import { mutate } from './mutate.ts';
import { Random } from './random.ts';
import { Runner } from './runner.ts';
import type { FuzzTarget } from './target.ts';

const CORPUS = fileURLToPath(new URL('../corpus/', import.meta.url));
/**
 * Coverage is asked for after as many inputs: asking costs as much as some hundreds of them. Fewer while much is new, so
 * that little else joins the corpus.
 */
const BATCH = { least: 32, most: 4096 };
const MAX_CORPUS = 20_000;

export interface FuzzResult {
  readonly inputs: number;
  readonly refused: number;
  /** Blocks of the target's sources that ran: with the seeds, and in the end. */
  readonly seedBlocks: number;
  readonly blocks: number;
  /** Inputs of batches that reached new blocks. */
  readonly found: readonly Uint8Array[];
}

/** Every seed and every file of the corpus. */
export function corpusOf(target: FuzzTarget): Uint8Array[] {
  const folder = join(CORPUS, target.name);
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  return [
    ...target.seeds().map(seed => (typeof seed === 'string' ? Buffer.from(seed) : seed)),
    ...names.map(name => readFileSync(join(folder, name))),
  ];
}

/**
 * Tries `count` mutated inputs, fewer if `limitMs` is over; what reaches new blocks joins the corpus of this run.
 * @throws Finding
 */
export async function fuzz(
  target: FuzzTarget,
  count: number,
  seed: number,
  limitMs = Number.POSITIVE_INFINITY,
  onProgress: (done: number, blocks: number) => void = () => {},
): Promise<FuzzResult> {
  const until = performance.now() + limitMs;
  const random = new Random(seed);
  const coverage = new Coverage(target.files);
  const runner = new Runner(target);
  const seeds = corpusOf(target);
  const corpus = [...seeds];
  const found: Uint8Array[] = [];
  // Refusals are many, and nobody reads where they were thrown.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    await runner.runAll(seeds);
    coverage.take();
    const seedBlocks = coverage.blocks;
    let size = BATCH.least;
    let done = 0;
    while (done < count && performance.now() < until) {
      // Half of them from the seeds, which the corpus may outnumber by far.
      const batch = Array.from({ length: Math.min(size, count - done) }, () =>
        mutate(random.below(2) ? seeds : corpus, target.dictionary ?? [], random),
      );
      await runner.runAll(batch);
      done += batch.length;
      // Which of them it was is not asked, since each may lead on; `smallest` tells in the end.
      const isNew = coverage.take() > 0;
      onProgress(done, coverage.blocks);
      size = isNew ? BATCH.least : Math.min(2 * size, BATCH.most);
      if (!isNew || corpus.length >= MAX_CORPUS) continue;
      found.push(...batch);
      corpus.push(...batch);
    }
    return { inputs: done, refused: runner.refused, seedBlocks, blocks: coverage.blocks, found };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    coverage.close();
    await runner.close();
  }
}

/** The share of the target's sources, in characters, that the corpus and these inputs run, 0 to 1. */
export async function shareOf(target: FuzzTarget, inputs: readonly Uint8Array[]): Promise<number> {
  return await counting(target, async (coverage, runner) => {
    await runner.runAll([...corpusOf(target), ...inputs]);
    return coverage.share();
  });
}

/** Of the inputs those few, short ones first, that reach all blocks which the corpus does not reach yet. */
export async function smallest(target: FuzzTarget, inputs: readonly Uint8Array[]): Promise<Uint8Array[]> {
  return await counting(target, async (coverage, runner) => {
    await runner.runAll(corpusOf(target));
    coverage.take();
    const kept: Uint8Array[] = [];
    for (const input of [...inputs].sort((a, b) => a.length - b.length)) {
      await runner.run(input);
      if (coverage.take() > 0) kept.push(input);
    }
    return kept;
  });
}

async function counting<T>(
  target: FuzzTarget,
  use: (coverage: Coverage, runner: Runner) => Promise<T>,
): Promise<T> {
  const coverage = new Coverage(target.files, 'counted');
  const runner = new Runner(target);
  try {
    return await use(coverage, runner);
  } finally {
    coverage.close();
    await runner.close();
  }
}

/** Adds inputs to the corpus in the repository. */
export function saveCorpus(target: FuzzTarget, inputs: readonly Uint8Array[]): void {
  const folder = join(CORPUS, target.name);
  if (inputs.length > 0) mkdirSync(folder, { recursive: true });
  for (const input of inputs) {
    writeFileSync(join(folder, createHash('sha256').update(input).digest('hex').slice(0, 12)), input);
  }
}
