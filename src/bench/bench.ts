import type { ReadModel } from '../model/load-model.ts';
import { leaveUsedMemory, readBandwidth } from './machine-memory.ts';
import type { Peer } from './peers.ts';
import { spreadOf } from './quantities.ts';
import { randomIds } from './random-prompts.ts';
import { type BenchReport, describeMachine, engineReport, type Round, ratiosOf } from './report.ts';
import { bytesPerToken, rooflinePoints } from './roofline.ts';
import { type Runner, runProcess } from './run-process.ts';
import type { RunSpec } from './run-protocol.ts';

export interface BenchSettings {
  /** As the user named it. */
  readonly model: string;
  readonly read: ReadModel;
  readonly load: RunSpec['load'];
  readonly vocabSize: number;
  readonly promptTokens: readonly number[];
  readonly generate: number;
  readonly runs: number;
  readonly threads: number | undefined;
  /** Histories before a second turn, in tokens. */
  readonly turns: readonly number[];
  readonly graph: boolean;
  /** Starts a run of this program. */
  readonly runner: Runner;
  readonly peers: readonly Peer[];
  readonly versions: BenchReport['versions'];
  readonly environment: Readonly<Record<string, string>>;
  readonly onProgress: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Tokens of each process's warm-up prompt, answered with a few tokens before anything is measured. */
const WARM_UP_TOKENS = 64;
const WARM_UP_GENERATE = 8;
/** A short question, to measure the start of a process. */
const START_TOKENS = 40;
/** Enough that a program that loads the weights finds nothing but used memory: the system may give out other pages first. */
const usedMemory = (weightBytes: number) => 2 * weightBytes + 3e9;
/** The new part of a second turn: a question of some length. */
const NEW_TURN_TOKENS = 40;

/**
 * Measures the model in this program and in the peers. Every run is a process of its own, and the engines take turns, so
 * other load on the machine hits all of them alike. Each engine's first process does not count.
 */
export async function bench(settings: BenchSettings): Promise<BenchReport> {
  const { runs, onProgress } = settings;
  const engines = [{ runner: settings.runner, model: settings.model }, ...settings.peers];
  for (const engine of engines) {
    onProgress(`warm-up: ${engine.runner.name}`);
    await startRun(settings, engine, 0);
  }
  const rounds = new Map<Peer, Round[]>(engines.map(engine => [engine, []]));
  const bandwidths: number[] = [];
  const threads = settings.threads ?? describeMachine().processors;
  for (let run = 1; run <= runs; run++) {
    onProgress(`run ${run} of ${runs}: memory`);
    bandwidths.push(await readBandwidth(threads, bytesPerToken(settings.read)));
    for (const engine of engines) {
      onProgress(`run ${run} of ${runs}: ${engine.runner.name}`);
      await leaveUsedMemory(usedMemory(settings.read.weightBytes));
      const start = await startRun(settings, engine, run);
      const warm = (await runProcess(engine.runner, warmSpec(settings, engine, run), settings.signal)).result;
      rounds.get(engine)?.push({ warm, start });
    }
  }
  return report(settings, rounds, bandwidths, threads);
}

function startRun(settings: BenchSettings, { runner, model }: Peer, run: number) {
  const spec: RunSpec = {
    model,
    load: settings.load,
    contextLength: 2 * START_TOKENS,
    threads: settings.threads,
    prompts: [randomIds(START_TOKENS, settings.vocabSize, 1000 + run)],
    generate: 1,
  };
  return runProcess(runner, spec, settings.signal);
}

/** Prompts are the same for every engine and differ between runs. */
function warmSpec(settings: BenchSettings, { runner, model }: Peer, run: number): RunSpec {
  const { vocabSize, promptTokens, generate, turns, graph } = settings;
  const ids = (count: number, series: number) => randomIds(count, vocabSize, 100 * series + run);
  const own = runner.name === 'llm-host';
  const longest = Math.max(...promptTokens, ...(own ? turns : []), WARM_UP_TOKENS);
  return {
    model,
    load: settings.load,
    contextLength: longest + Math.max(generate, 2 * NEW_TURN_TOKENS),
    threads: settings.threads,
    warmUp: { promptIds: ids(WARM_UP_TOKENS, 1), generate: WARM_UP_GENERATE },
    prompts: promptTokens.map((count, index) => ids(count, 2 + index)),
    generate,
    graph,
    ...(own &&
      turns.length > 0 && {
        turns: turns.map((count, index) => ({
          historyIds: ids(count, 100 + index),
          newIds: ids(NEW_TURN_TOKENS, 200),
        })),
      }),
  };
}

function report(
  settings: BenchSettings,
  rounds: ReadonlyMap<Peer, readonly Round[]>,
  bandwidths: readonly number[],
  bandwidthThreads: number,
): BenchReport {
  const { read, versions, promptTokens, generate, runs, threads, environment, load } = settings;
  const all = [...rounds.entries()].map(([{ runner }, ofEngine]) => engineReport(runner.name, ofEngine));
  const [own, ...peers] = all as [(typeof all)[number], ...typeof all];
  const weightBytes = [...rounds.values()][0]?.[0]?.warm.weightBytes ?? 0;
  const kvBits = load.kvBits ?? 0;
  return {
    version: 1,
    date: new Date().toISOString(),
    machine: describeMachine(),
    versions,
    model: {
      name: read.name,
      family: String(read.spec.config.model_type),
      parameters: read.parameters,
      weightBytes,
    },
    settings: {
      promptTokens,
      generate,
      runs,
      threads,
      startPromptTokens: START_TOKENS,
      warmUpTokens: WARM_UP_TOKENS,
      environment,
    },
    engines: all,
    ratios: peers.flatMap(peer => ratiosOf(own, peer)),
    roofline: {
      bandwidth: spreadOf(bandwidths),
      threads: bandwidthThreads,
      points: rooflinePoints(own, { read, weightBytes, generate, kvBits, bandwidths }),
    },
  };
}
