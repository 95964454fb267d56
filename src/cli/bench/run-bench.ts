import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bench } from '../../bench/bench.ts';
import { htmlReport } from '../../bench/html-report.ts';
import { findPeer, PEERS, type PeerModels, type PeerName } from '../../bench/peers.ts';
import { textReport } from '../../bench/text-report.ts';
import { LlmHostError, messageOf } from '../../errors.ts';
import { demoWeightsPath } from '../../model/demo-model.ts';
import { type ReadModel, readModel } from '../../model/load-model.ts';
import { resolveModel } from '../../model/locate.ts';
import { loadAddon } from '../../native/load-addon.ts';
import { stripControls } from '../../text/clean/strip-controls.ts';
import type { NumberRange } from '../../text/number-range.ts';
import { checkNumber } from '../options/chat-options.ts';
import { numberOrText } from '../options/option-kinds.ts';
import type { Signals } from '../process/signals.ts';
import { VERSION } from '../process/version.ts';

export interface BenchArguments {
  readonly model: string;
  /** Comma-separated numbers; default 512. */
  readonly promptTokens?: string | undefined;
  readonly generate: number;
  readonly runs: number;
  readonly threads?: number | undefined;
  readonly quantize?: string | undefined;
  readonly kvBits?: 4 | 8 | undefined;
  readonly adapter?: readonly string[] | undefined;
  /** Comma-separated numbers. */
  readonly turns?: string | undefined;
  readonly graph?: boolean | undefined;
  /** Comma-separated names. */
  readonly compare?: string | undefined;
  readonly mlxLmModel?: string | undefined;
  readonly llamaCppModel?: string | undefined;
  readonly json?: boolean | undefined;
  readonly html?: string | undefined;
}

const BENCH_PROCESS = fileURLToPath(new URL('../../../dist/cli/bench/bench-process.js', import.meta.url));

/** `llm-host bench <model>`: measures it, beside peers if asked. Resolves with the exit code. */
export async function runBench(args: BenchArguments, signals: Signals): Promise<number> {
  const promptTokens = numbers('prompt-tokens', args.promptTokens ?? '512');
  const turns = args.turns === undefined ? [] : numbers('turns', args.turns);
  const [generate, runs] = [whole('generate', args.generate), whole('runs', args.runs)];
  const threads = args.threads === undefined ? undefined : whole('threads', args.threads);
  const names = peerNames(args.compare);
  // Peers do not load the demo's adapter, so compare without it.
  const adapter = args.adapter ?? (names.length > 0 ? [] : undefined);
  const load = {
    ...(args.quantize !== undefined && { quantize: args.quantize }),
    ...(args.kvBits !== undefined && { kvBits: args.kvBits }),
    ...(adapter !== undefined && { adapter }),
  };
  const contextLength = Math.max(...promptTokens, ...turns) + generate;
  const read = readModel(args.model, { ...load, contextLength, cwd: process.cwd(), env: process.env });
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

const WHOLE: NumberRange = { min: 1, max: 1_000_000, integer: true };

function numbers(flag: string, text: string): number[] {
  return text.split(',').map(part => whole(flag, numberOrText(part) as number));
}

/** Throws LlmHostError USAGE. */
function whole(flag: string, value: number): number {
  checkNumber(flag, value, WHOLE);
  return value;
}

function peerNames(text: string | undefined): PeerName[] {
  const known: readonly string[] = PEERS;
  return (text?.split(',') ?? []).map(name => {
    if (known.includes(name)) return name as PeerName;
    throw new LlmHostError('USAGE', `--compare takes ${PEERS.join(' and ')}, not '${name}'`);
  });
}

/** The same weights for the peers: the model itself if they can read it, or what the user names. */
function peerModels(args: BenchArguments): PeerModels {
  const where = { cwd: process.cwd(), env: process.env };
  const location = resolveModel(args.model, where);
  const named = (path: string | undefined) => (path === undefined ? undefined : resolve(where.cwd, path));
  const gguf = location.kind === 'demo' ? demoWeightsPath(where.env) : undefined;
  return {
    gguf: named(args.llamaCppModel) ?? (location.kind === 'gguf' ? location.path : gguf),
    folder:
      named(args.mlxLmModel) ??
      (location.kind === 'folder' && args.quantize === undefined ? location.path : undefined),
  };
}

function vocabSizeOf({ name, spec }: ReadModel): number {
  const size = spec.config.vocab_size;
  if (typeof size === 'number' && Number.isInteger(size) && size > 0) return size;
  throw new LlmHostError('MODEL_BROKEN', `${name}: config.json has no vocab_size`);
}

/** Variables that change how this program computes. */
function ownEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const own = Object.entries(env).filter(([name]) => name.startsWith('LLM_HOST_'));
  return Object.fromEntries(own) as Record<string, string>;
}

function writeHtml(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new LlmHostError('UNEXPECTED', `the report could not be written: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
