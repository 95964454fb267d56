import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { EngineJob, LocalJobEngine } from '../../../src/engine/engine-job.ts';
import { loadEngine } from '../../../src/engine/load-engine.ts';
import { randomNumbers } from '../../native/tiny/tiny-model.ts';

/** Layers of each kind that cannot go back to any token: states, convolutions, windows, both. */
export const REMEMBERING = [
  'granitemoehybrid/hybrid',
  'lfm2/plain',
  'qwen3_next/dense',
  'qwen3_5_text/tied',
  'falcon_h1/multiplied',
  'nemotron_h/networks',
  'gemma3_text/rope-per-layer',
  'gemma4_text/sharing',
  'mellum/windows',
  'gpt_oss/plain',
] as const;

const models = fileURLToPath(new URL('../../fixtures/families/', import.meta.url));
const VOCABULARY = 96;
const TURNS = 8;

/** What was said; the ends of its messages, before the marks of the next. */
interface Dialogue {
  readonly system: readonly number[];
  readonly messages: readonly (readonly number[])[];
}

/** Random dialogues, some of whose messages are edited or lose a part, say what they say without a cache. */
export async function sameAfterEdits(family: string, seeds: readonly number[]): Promise<void> {
  const open = () => loadEngine(`${models}${family}`, { exact: true });
  await using kept = (await open()) as LocalJobEngine;
  await using forgetful = (await open()) as LocalJobEngine;
  expect(kept.info.wantsCheckpoints).toBe(true);
  let branched = 0;
  for (const seed of seeds) branched += await oneDialogue(kept, forgetful, seed);
  // Something was found where a conversation branched off, not only at its end.
  expect(branched).toBeGreaterThan(0);
}

/** -> in how many turns that branched off a part was reused */
async function oneDialogue(kept: LocalJobEngine, forgetful: LocalJobEngine, seed: number): Promise<number> {
  const random = randomNumbers(seed);
  const below = (limit: number) => Math.floor(((random() + 1) / 2) * limit);
  const some = (least: number, range: number) =>
    Array.from({ length: least + below(range) }, () => below(VOCABULARY));
  let dialogue: Dialogue = { system: some(10, 20), messages: [] };
  let branched = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    const edited = turn % 2 === 1 ? edit(dialogue, below, some) : undefined;
    dialogue = edited ?? { ...dialogue, messages: [...dialogue.messages, some(4, 16)] };
    const job = jobOf(dialogue);
    const { ids, cached } = await say(kept, job);
    await say(forgetful, { promptIds: [VOCABULARY - 1], maxTokens: 1 });
    expect(ids, `seed ${seed}, turn ${turn}`).toEqual((await say(forgetful, job)).ids);
    if (edited && dialogue.messages.length > 1 && cached > dialogue.system.length) branched += 1;
    dialogue = { ...dialogue, messages: [...dialogue.messages, ids] };
  }
  return branched;
}

/** An earlier question asked otherwise, or an answer without its beginning, as where thoughts are left out. */
function edit(
  { system, messages }: Dialogue,
  below: (limit: number) => number,
  some: (least: number, range: number) => number[],
): Dialogue | undefined {
  if (messages.length < 4) return undefined;
  const question = 2 * below(messages.length / 2);
  if (below(2) === 0) return { system, messages: [...messages.slice(0, question), some(4, 16)] };
  const stripped = (messages[messages.length - 1] as number[]).slice(3);
  return { system, messages: [...messages.slice(0, -1), stripped, some(4, 16)] };
}

function jobOf({ system, messages }: Dialogue): EngineJob {
  const ids = [...system];
  const ends = [ids.length];
  for (const message of messages) {
    ids.push(...message);
    ends.push(ids.length);
  }
  return { promptIds: ids, checkpoints: ends.filter(end => end > 0), maxTokens: 8, reproducible: true };
}

async function say(
  engine: LocalJobEngine,
  job: EngineJob,
): Promise<{ readonly ids: number[]; readonly cached: number }> {
  const ids: number[] = [];
  const stream = engine.generate({ ...job, ignoreEos: true });
  for (let step = await stream.next(); ; step = await stream.next()) {
    if (step.done) return { ids, cached: step.value.cachedTokens };
    ids.push(step.value.id);
  }
}
