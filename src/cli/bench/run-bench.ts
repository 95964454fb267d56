import { fileURLToPath } from 'node:url';
import { bench } from '../../bench/bench.ts';
import { htmlReport, textReport } from '../../bench/bench-output.ts';
import { findPeer } from '../../bench/peers.ts';
import { LlmHostError } from '../../errors.ts';
import { type ReadModel, readModel } from '../../model/load-model.ts';
import { localSource } from '../../model/model-source.ts';
import { loadAddon } from '../../native/load-addon.ts';
import { stripControls } from '../../text/clean/strip-controls.ts';
import { VERSION } from '../process/app.ts';
import type { Signals } from '../process/signals.ts';
import {
  type BenchArguments,
  loadOf,
  numbers,
  ownEnvironment,
  peerModels,
  peerNames,
  whole,
  writeHtml,
} from './bench-arguments.ts';

const BENCH_PROCESS = fileURLToPath(new URL('../../../dist/cli/bench/bench-process.js', import.meta.url));

/** `llm-host bench <model>`: measures it, alongside peers if asked. Resolves with the exit code. */
export async function runBench(args: BenchArguments, signals: Signals): Promise<number> {
  const promptTokens = numbers('prompt-tokens', args.promptTokens ?? '512');
  const turns = args.turns === undefined ? [] : numbers('turns', args.turns);
  const [generate, runs] = [whole('generate', args.generate ?? 128), whole('runs', args.runs ?? 5)];
  const threads = args.threads === undefined ? undefined : whole('threads', args.threads);
  const names = peerNames(args.compare);
  const load = loadOf(args);
  const contextLength = Math.max(...promptTokens, ...turns) + generate;
  const where = { cwd: process.cwd(), env: process.env };
  const read = readModel(localSource(args.model, where), { ...load, contextLength, ...where });
  const models = peerModels(args);
  const peers = names.map(name => findPeer(name, models, process.env));
  const stop = new AbortController();
  signals.addCleanup(async () => stop.abort());
  const report = await bench({
    model: args.model,
    read,
    load,
    vocabSize: vocabSizeOf(read),
    promptTokens,
    generate,
    runs,
    threads,
    turns,
    graph: args.graph ?? false,
    runner: {
      name: 'llm-host',
      command: process.execPath,
      args: [BENCH_PROCESS],
      env: threads === undefined ? {} : { LLM_HOST_THREADS: String(threads) },
    },
    peers,
    versions: { llmHost: VERSION, mlx: loadAddon().versions.mlxLoaded, node: process.versions.node },
    environment: ownEnvironment(process.env),
    onProgress: text => process.stderr.write(`${text}\n`),
    signal: stop.signal,
  });
  if (args.html !== undefined) writeHtml(args.html, htmlReport(report));
  const text = args.json ? JSON.stringify(report, null, 2) : stripControls(textReport(report));
  process.stdout.write(`${text}\n`);
  return 0;
}

function vocabSizeOf({ name, spec }: ReadModel): number {
  const size = spec.config.vocab_size;
  if (typeof size === 'number' && Number.isInteger(size) && size > 0) return size;
  throw new LlmHostError('MODEL_BROKEN', `${name}: config.json has no vocab_size`);
}
