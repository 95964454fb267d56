import { readFileSync } from 'node:fs';
import type { JobResult, LocalJobEngine } from '../engine/engine-job.ts';
import { loadEngine } from '../engine/load-engine.ts';
import type {
  GraphMeasurement,
  PromptMeasurement,
  RunResult,
  RunSpec,
  Turn,
  TurnMeasurement,
} from './run-protocol.ts';

/** Length of the reply between the two turns, in tokens. */
const REPLY_TOKENS = 8;

/** A measured run of llm-host, in its own process. `onFirst` is called at the first token of the first prompt. */
export async function measureRun(spec: RunSpec, version: string, onFirst: () => void): Promise<RunResult> {
  const start = performance.now();
  const engine = await loadEngine(spec.model, { ...spec.load, contextLength: spec.contextLength });
  const loadMs = performance.now() - start;
  try {
    if (spec.warmUp) await generate(engine, spec.warmUp.promptIds, spec.warmUp.generate);
    const prompts: PromptMeasurement[] = [];
    for (const ids of spec.prompts) {
      prompts.push(
        await measurePrompt(engine, ids, spec.generate, prompts.length === 0 ? onFirst : () => {}),
      );
    }
    const turns: TurnMeasurement[] = [];
    for (const turn of spec.turns ?? []) turns.push(await measureTurn(engine, turn));
    const { device, weightBytes } = engine.info;
    const peakBytes = peakMemory();
    const graph = spec.graph ? await measureGraph(engine, spec) : undefined;
    const measured = { version, device, loadMs, prompts, peakBytes, weightBytes };
    return { ...measured, ...(spec.turns && { turns }), ...(graph && { graph }) };
  } finally {
    await engine.close();
  }
}

/**
 * The reply's ids and the engine's figures. Times are by the engine's clock: tokens that end inside a character arrive
 * late.
 */
async function generate(
  engine: LocalJobEngine,
  promptIds: readonly number[],
  maxTokens: number,
  onFirst: () => void = () => {},
  measureGraph = false,
): Promise<{ ids: readonly number[]; result: JobResult }> {
  const ids: number[] = [];
  // Random prompts make models repeat themselves, which no conversation does to that extent.
  const stream = engine.generate({ promptIds, maxTokens, ignoreEos: true, measureGraph, lookup: false });
  for (;;) {
    const step = await stream.next();
    if (step.done) return { ids, result: step.value };
    if (ids.push(step.value.id) === 1) onFirst();
  }
}

async function measurePrompt(
  engine: LocalJobEngine,
  promptIds: readonly number[],
  count: number,
  onFirst: () => void,
): Promise<PromptMeasurement> {
  const { promptTokens, generatedTokens, timings } = (await generate(engine, promptIds, count, onFirst))
    .result;
  const { firstTokenMs, decodeMs } = timings;
  return { promptTokens, firstTokenMs, generatedTokens, decodeMs };
}

/** In a run of its own, since counting takes time. */
async function measureGraph(
  engine: LocalJobEngine,
  { prompts: [ids = []], generate: count }: RunSpec,
): Promise<GraphMeasurement | undefined> {
  const { graph } = (await generate(engine, ids, count, undefined, true)).result;
  return (
    graph && {
      primitives: graph.primitives,
      launches: Object.values(graph.launches).reduce((a, b) => a + b, 0),
      buildMicroseconds: [...graph.buildMicroseconds],
      submitMicroseconds: [...graph.submitMicroseconds],
    }
  );
}

/** A history, a short reply, then a new prompt, which alone has to be read. */
async function measureTurn(engine: LocalJobEngine, { historyIds, newIds }: Turn): Promise<TurnMeasurement> {
  const { ids: reply } = await generate(engine, historyIds, REPLY_TOKENS);
  const { result } = await generate(engine, [...historyIds, ...reply, ...newIds], 1);
  return {
    historyTokens: historyIds.length + reply.length,
    newTokens: newIds.length,
    cachedTokens: result.cachedTokens,
    firstTokenMs: result.timings.firstTokenMs,
  };
}

/**
 * This process's peak resident memory so far, in bytes. On Linux getrusage includes the parent's memory from before
 * exec, so the figure is read from /proc instead.
 */
function peakMemory(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024;
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}
