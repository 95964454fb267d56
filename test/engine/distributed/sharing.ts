import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { GenerateRequest, TokenEvent } from '../../../src/engine/engine.ts';
import { loadEngine } from '../../../src/engine/load-engine.ts';
import type { ModelOptions } from '../../../src/engine/model-options.ts';
import { modelParts } from '../../../src/model/distributed/model-parts.ts';
import { tensorShares } from '../../../src/model/distributed/shares.ts';
import { tensorWire } from '../../../src/model/distributed/wire.ts';
import { inspectModel } from '../../../src/model/inspect.ts';
import { type Answer, Ranks } from './ranks.ts';
import { bytesSent } from './wire-bytes.ts';

export const FAMILIES = fileURLToPath(new URL('../../fixtures/families/', import.meta.url));
export const LIMIT = { limitMs: 60_000 };
export const REQUEST = { promptIds: [5, 9, 13, 2, 7, 30, 11], maxTokens: 64, ignoreEos: true, logprobs: 0 };

interface Reply {
  readonly ids: readonly number[];
  readonly logprobs: readonly number[];
}

const replyOf = (tokens: readonly Pick<TokenEvent, 'id' | 'logprob'>[]): Reply => ({
  ids: tokens.map(token => token.id),
  logprobs: tokens.map(token => token.logprob as number),
});

/** What one process says. */
export async function alone(path: string, options: ModelOptions, requests: readonly GenerateRequest[]) {
  await using engine = await loadEngine(path, options);
  const replies: Reply[] = [];
  for (const request of requests) {
    const tokens: TokenEvent[] = [];
    for await (const token of engine.generate(request)) tokens.push(token);
    replies.push(replyOf(tokens));
  }
  return { replies, weightBytes: engine.info.weightBytes };
}

export function expectSame(shared: Pick<Answer, 'tokens'> | undefined, whole: Reply | undefined) {
  expect(shared).toMatchObject({ tokens: expect.any(Array) });
  const { ids, logprobs } = replyOf(shared?.tokens ?? []);
  expect(ids).toEqual(whole?.ids);
  logprobs.forEach((logprob, index) => {
    expect(Math.abs(logprob - (whole?.logprobs[index] as number))).toBeLessThan(1e-3);
  });
}

/** What the plan says that each of `count` has. */
function plannedBytes(path: string, count: number): number {
  const { read, loading } = inspectModel(path, { contextLength: 64, cwd: FAMILIES, env: {}, exact: true });
  const host = { name: '', address: '', memoryBytes: 1e9, bytesPerSecond: 1e9 };
  return tensorShares(
    modelParts(read.spec, loading, { kvBytes: 0, workingBytes: () => 0 }),
    Array(count).fill(host),
  )[0]?.weightBytes as number;
}

/** The processes give the tokens of one, each with its share of the weights. */
export async function expectShared(ranks: Ranks, path: string, more: ModelOptions = {}) {
  const options = { exact: true, ...more };
  const whole = await alone(path, options, [REQUEST]);
  const loaded = await ranks.ask({ do: 'load', path, options: { ...options, group: LIMIT } });
  const bytes = plannedBytes(path, ranks.processes.length);
  expect(bytes).toBeLessThan(whole.weightBytes);
  expect(loaded).toEqual(ranks.processes.map(() => ({ weightBytes: bytes })));
  for (const answer of await ranks.ask({ do: 'generate', request: REQUEST }))
    expectSame(answer, whole.replies[0]);
  return whole.replies[0];
}

/** Of different lengths, which come and go while others run: greedy, seeded, with penalties and alternatives. */
const ROWS: readonly GenerateRequest[] = [
  REQUEST,
  { ...REQUEST, promptIds: [8, 3, 21], maxTokens: 40 },
  { ...REQUEST, temperature: 1, seed: 7 },
  { ...REQUEST, promptIds: [4, 4, 9, 17, 2], temperature: 0.8, topP: 0.9, seed: 1, maxTokens: 20 },
  { ...REQUEST, promptIds: [33, 6], temperature: 1.2, minP: 0.05, seed: 99, maxTokens: 50 },
  { ...REQUEST, promptIds: Array.from({ length: 70 }, (_, i) => (i * 7) % 90), repetitionPenalty: 1.3 },
];

/** Rows of one batch have the tokens that each has alone in one process. */
export async function expectSharedRows(ranks: Ranks, path: string) {
  const options = { exact: true, parallel: 4, cacheBytes: 2 ** 20 };
  const whole = await alone(path, { exact: true }, ROWS);
  await ranks.ask({ do: 'load', path, options: { ...options, group: LIMIT } });
  const answers = await ranks.ask({ do: 'together', requests: ROWS });
  for (const { replies, error } of answers) {
    expect(error).toBeUndefined();
    expect(replies).toHaveLength(ROWS.length);
    replies?.forEach((tokens, row) => {
      expectSame({ tokens }, whole.replies[row]);
    });
  }
}

/** Bytes that all of them send for a token, as counted by the system and as computed. */
export async function wireBytes(ranks: Ranks, name: string) {
  const path = join(FAMILIES, name);
  const pids = ranks.processes.map(({ pid }) => pid as number);
  await ranks.ask({ do: 'load', path, options: { exact: true, group: LIMIT } });
  const sent = async (maxTokens: number) => {
    const before = bytesSent(pids);
    await ranks.ask({ do: 'generate', request: { ...REQUEST, promptIds: [1 + maxTokens, 2, 3], maxTokens } });
    return bytesSent(pids) - before;
  };
  // What a prompt takes is in both.
  const few = await sent(8);
  const counted = ((await sent(56)) - few) / 48;
  const { read, loading } = inspectModel(path, { contextLength: 64, cwd: FAMILIES, env: {}, exact: true });
  const { layers, activationBytes } = modelParts(read.spec, loading, {
    kvBytes: 0,
    workingBytes: () => 0,
  });
  const link = { bytesPerSecond: 1, latency: 0, mesh: false };
  return { counted, computed: tensorWire(link, pids.length, layers.length, activationBytes).bytes };
}

/** What the other one says if this happens to one of two in the middle of a reply, and when asked again; and alone. */
export async function without(signal: 'SIGKILL' | 'SIGSTOP', limitMs: number) {
  const path = join(FAMILIES, 'llama/plain');
  const endless = { ...REQUEST, maxTokens: 400 };
  using ranks = await Ranks.start(2);
  await ranks.ask({ do: 'load', path, options: { contextLength: 500, group: { limitMs } } });
  const lost = ranks.askOne(1, { do: 'generate', request: endless }, () => ranks.processes[1]?.kill(signal));
  const left = await ranks.askOne(0, { do: 'generate', request: endless });
  const again = await ranks.askOne(0, { do: 'generate', request: endless });
  await ranks.askOne(0, { do: 'load', path, options: {} });
  const whole = await ranks.askOne(0, { do: 'generate', request: REQUEST });
  ranks.processes[1]?.kill('SIGKILL');
  await lost;
  return { left, again, whole };
}
