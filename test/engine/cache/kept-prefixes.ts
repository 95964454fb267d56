import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { GenerateResult } from '../../../src/engine/engine.ts';
import type { EngineJob } from '../../../src/engine/engine-job.ts';
import { MlxEngine } from '../../../src/engine/mlx-engine.ts';
import { loadAddon } from '../../../src/native/load-addon.ts';
import type { LoadSpec } from '../../../src/native/load-types.ts';

const root = mkdtempSync(join(tmpdir(), 'llm-host-prefixes-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;

/** A folder that does not exist yet. */
export const newFolder = () => join(root, String(folders++), 'prefixes');

export interface Kept {
  readonly engine: MlxEngine;
  readonly notes: string[];
}

/** As a process of its own would open it. */
export async function open(spec: LoadSpec, folder: string, maxBytes = 1e9): Promise<Kept> {
  const notes: string[] = [];
  const engine = await MlxEngine.create(loadAddon(), spec, {
    name: 'tiny',
    defaultStopIds: [],
    prefixes: { folder, maxBytes, onNote: note => void notes.push(note) },
  });
  return { engine, notes };
}

export type Said = GenerateResult & { readonly ids: readonly number[] };

export async function say(engine: MlxEngine, job: EngineJob): Promise<Said> {
  const ids: number[] = [];
  const stream = engine.generate({ maxTokens: 8, ...job });
  for (let step = await stream.next(); ; step = await stream.next()) {
    if (step.done) return { ids, ...step.value };
    ids.push(step.value.id);
  }
}

/** Opens, says one thing, and closes, which waits for what is written. */
export async function once(
  spec: LoadSpec,
  folder: string,
  job: EngineJob,
  maxBytes?: number,
): Promise<Said & { readonly notes: readonly string[] }> {
  const { engine, notes } = await open(spec, folder, maxBytes);
  try {
    const said = await say(engine, job);
    await engine.close();
    return { ...said, notes };
  } finally {
    await engine.close();
  }
}

export const filesOf = (folder: string) => readdirSync(folder).sort();
