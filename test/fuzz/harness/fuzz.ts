import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LlmHostError } from '../../../src/errors.ts';
import { Coverage } from './coverage.ts';
import { mutate } from './mutate.ts';
import { Random } from './random.ts';
import type { FuzzTarget } from './target.ts';
import { Watchdog } from './watchdog.ts';

const CORPUS = fileURLToPath(new URL('../corpus/', import.meta.url));
const FINDINGS = fileURLToPath(new URL('../../../build/fuzz/', import.meta.url));
/**
 * Coverage is asked for after as many inputs: asking costs as much as some dozens of them. Fewer while much is new, so
 * that little else joins the corpus.
 */
const BATCH = { least: 32, most: 256 };
const MAX_CORPUS = 5000;

export interface FuzzResult {
  readonly inputs: number;
  readonly refused: number;
  /** Blocks of the target's sources that ran: with the seeds, and in the end. */
  readonly seedBlocks: number;
  readonly blocks: number;
  /** Inputs of batches that reached new blocks. */
  readonly found: readonly Uint8Array[];
}

/** The input with which a target broke, as a file that a test can replay. */
export class Finding extends Error {}

/** Every seed and every file of the corpus. */
export function corpusOf(target: FuzzTarget): Uint8Array[] {
  const folder = join(CORPUS, target.name);
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  return [
    ...target.seeds().map(seed => (typeof seed === 'string' ? Buffer.from(seed) : seed)),
    ...names.map(name => readFileSync(join(folder, name))),
  ];
}

const CONSOLE = ['log', 'info', 'warn', 'error', 'debug'] as const;

/** A library that prints what strangers wrote would hand it to the terminal as it stands. */
async function silent(run: () => void | Promise<void>): Promise<void> {
  const saved = CONSOLE.map(name => console[name]);
  let printed: Error | undefined;
  for (const name of CONSOLE) {
    console[name] = (...words: unknown[]) => {
      printed ??= new Error(`console.${name} was called: ${JSON.stringify(words).slice(0, 200)}`);
    };
  }
  try {
    await run();
  } finally {
    CONSOLE.forEach((name, index) => {
      console[name] = saved[index] as (typeof saved)[number];
    });
  }
  if (printed) throw printed;
}

/** Runs one input. @returns whether the target took it; @throws Finding */
export async function runInput(target: FuzzTarget, input: Uint8Array): Promise<boolean> {
  try {
    await silent(() => target.run(input));
    return true;
  } catch (error) {
    if (error instanceof LlmHostError) return false;
    const folder = join(FINDINGS, target.name);
    mkdirSync(folder, { recursive: true });
    const path = join(folder, createHash('sha256').update(input).digest('hex').slice(0, 12));
    writeFileSync(path, input);
    throw new Finding(`${target.name}: ${String(error)}\n  the input is in ${path}`, { cause: error });
  }
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
): Promise<FuzzResult> {
  const until = performance.now() + limitMs;
  const random = new Random(seed);
  const coverage = new Coverage(target.files);
  const watchdog = new Watchdog(target.limitMs ?? 2000, join(FINDINGS, target.name));
  const corpus = corpusOf(target);
  const found: Uint8Array[] = [];
  let refused = 0;
  const run = async (input: Uint8Array): Promise<void> => {
    watchdog.begin(input);
    const before = process.hrtime.bigint();
    if (!(await runInput(target, input))) refused += 1;
    watchdog.end();
    const ms = Number(process.hrtime.bigint() - before) / 1e6;
    if (ms > (target.limitMs ?? 2000)) throw new Finding(`${target.name}: an input took ${ms.toFixed(0)} ms`);
  };
  try {
    for (const input of corpus) await run(input);
    coverage.take();
    const seedBlocks = coverage.blocks;
    let size = BATCH.least;
    let done = 0;
    while (done < count && performance.now() < until) {
      const batch = Array.from({ length: Math.min(size, count - done) }, () =>
        mutate(corpus, target.dictionary ?? [], random),
      );
      for (const input of batch) await run(input);
      done += batch.length;
      // Which of them it was is not asked, since each may lead on; `smallest` tells in the end.
      const isNew = coverage.take() > 0;
      size = isNew ? BATCH.least : Math.min(2 * size, BATCH.most);
      if (!isNew || corpus.length >= MAX_CORPUS) continue;
      found.push(...batch);
      corpus.push(...batch);
    }
    return { inputs: done, refused, seedBlocks, blocks: coverage.blocks, found };
  } finally {
    coverage.close();
    await watchdog.close();
  }
}

/** Of the inputs those few, short ones first, that reach all blocks which the corpus does not reach yet. */
export async function smallest(target: FuzzTarget, inputs: readonly Uint8Array[]): Promise<Uint8Array[]> {
  const coverage = new Coverage(target.files, 'counted');
  try {
    for (const input of corpusOf(target)) await runInput(target, input);
    coverage.take();
    const kept: Uint8Array[] = [];
    for (const input of [...inputs].sort((a, b) => a.length - b.length)) {
      await runInput(target, input);
      if (coverage.take() > 0) kept.push(input);
    }
    return kept;
  } finally {
    coverage.close();
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
