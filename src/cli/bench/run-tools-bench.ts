import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { describeMachine } from '../../bench/report.ts';
import { askCases, Journal } from '../../bench/tools/ask-cases.ts';
import { chooseCases, type Half, readFolder } from '../../bench/tools/folder-cases.ts';
import { MODES, type Mode, type ToolCase } from '../../bench/tools/tool-case.ts';
import { toolsHtml, toolsText } from '../../bench/tools/tools-output.ts';
import { scored, type ToolsReport } from '../../bench/tools/tools-report.ts';
import { modelHash } from '../../engine/cache/model-hash.ts';
import { EXIT, LlmHostError } from '../../errors.ts';
import { CountLine, ProgressLine } from '../../line/progress-line.ts';
import { type ReadModel, readModel } from '../../model/load-model.ts';
import { type LocalSource, localSource } from '../../model/model-source.ts';
import { loadAddon } from '../../native/load-addon.ts';
import type { OpenedModel, OpenModel } from '../../run/open-model.ts';
import { stripControls } from '../../text/clean/strip-controls.ts';
import { nearest } from '../../text/nearest.ts';
import type { Sampling } from '../../text/sampling/fields.ts';
import type { CommandContext } from '../options/command.ts';
import { stateDirectory, VERSION } from '../process/app.ts';
import { DEMO_CONFIG } from '../settings/demo.ts';
import { answerCase } from './answer-case.ts';
import { type BenchArguments, loadOf, ownEnvironment, whole, writeHtml } from './bench-arguments.ts';

/** Questions of one's own. */
interface Benchmark {
  readonly folder: string;
  /** Changes when any question does. */
  readonly key: string;
  readonly cases: readonly ToolCase[];
}

/** `llm-host bench <model> --tools`: how well it calls tools. Resolves with the exit code. */
export async function runToolsBench(
  args: ToolsArguments,
  { openModel, signals }: CommandContext,
): Promise<number> {
  const options = toolsOptions(args);
  if (args.threads !== undefined) process.env.LLM_HOST_THREADS = String(whole('threads', args.threads));
  const stop = new AbortController();
  signals.addCleanup(async () => stop.abort());
  const where = { cwd: process.cwd(), env: process.env };
  const source = localSource(args.model, where);
  const read = readModel(source, { ...loadOf(args), contextLength: 0, ...where });
  const benchmark = benchmarkOf(args);
  const cases = chooseCases(benchmark.cases, options);
  if (cases.length === 0) throw new LlmHostError('USAGE', `--half ${options.half} has no questions here`);
  const system = source.kind === 'demo' ? DEMO_CONFIG.SystemPrompt : '';
  const path = join(
    stateDirectory(process.env),
    'bench-tools',
    `${keyOf(benchmark, read, options, system)}.jsonl`,
  );
  const journal = new Journal(path, args.again === true, say);
  const opened = await open(source, args, openModel, stop.signal);
  const progress = new CountLine(process.stderr, 'Asking');
  let asking = true;
  signals.addCleanup(async () => {
    if (!asking) return;
    progress.end();
    say('What has been answered is kept: the same command continues from there.');
    await opened.close();
  });
  const answers = await askCases({
    cases,
    journal,
    modes: options.modes,
    signal: stop.signal,
    answer: (one, pass) =>
      answerCase(one, pass, {
        model: opened.model,
        systemMessage: system,
        sampling: samplingOf(options),
        signal: stop.signal,
      }),
    onProgress: (done, total, reused) => progress.update(done, total, reused),
  }).finally(() => progress.end());
  if (stop.signal.aborted) return EXIT.unexpected;
  asking = false;
  await opened.close();
  const report: ToolsReport = {
    ...reportOf(read, benchmark, options),
    ...scored({ cases: benchmark.cases, answers, modes: options.modes }),
  };
  if (args.html !== undefined) writeHtml(args.html, toolsHtml(report));
  process.stdout.write(`${args.json ? JSON.stringify(report, null, 2) : stripControls(toolsText(report))}\n`);
  return 0;
}

/** The questions of a folder. Throws LlmHostError CONFIG, USAGE. */
function benchmarkOf({ tools, categories }: ToolsArguments): Benchmark {
  const folder = resolve(tools);
  const { cases, sha256 } = readFolder(folder);
  const known = [...new Set(cases.map(one => one.category))];
  const wanted = categories === undefined ? known : named('categories', categories, known);
  return { folder, key: sha256, cases: cases.filter(one => wanted.includes(one.category)) };
}

const samplingOf = ({ maxTokens }: ToolsOptions): Sampling => ({ temperature: 0, maxTokens });

const say = (text: string): void => void process.stderr.write(`${stripControls(text)}\n`);

/** Answers are of use again only if nothing that they depend on has changed; where the files lie does not count. */
function keyOf(
  { key }: Benchmark,
  { spec, chatTemplate, toolTemplate }: ReadModel,
  options: ToolsOptions,
  system: string,
): string {
  const traits = spec.adapters.map(({ callConfidence, lookUpFirst }) => ({ callConfidence, lookUpFirst }));
  const parts = [VERSION, key, modelHash(spec), traits, spec.exact, spec.kvBits, chatTemplate, toolTemplate];
  return createHash('sha256')
    .update(JSON.stringify([...parts, samplingOf(options), system, ownEnvironment(process.env)]))
    .digest('hex')
    .slice(0, 16);
}

async function open(
  source: LocalSource,
  args: ToolsArguments,
  openModel: OpenModel,
  signal: AbortSignal,
): Promise<OpenedModel> {
  const loading = new ProgressLine(process.stderr, 'Loading');
  const { kvBits, ...load } = loadOf(args);
  try {
    const opened = await openModel(source, {
      ...load,
      kvBits,
      contextLength: 0,
      signal,
      cwd: process.cwd(),
      env: process.env,
      onProgress: ({ doneBytes, totalBytes }) => loading.update(doneBytes, totalBytes),
      onDownload: () => undefined,
      onWait: () => undefined,
    });
    if (!opened.embedder) return opened;
    await opened.close();
    throw new LlmHostError(
      'MODEL_UNSUPPORTED',
      `${opened.name} turns texts into vectors; it cannot call tools`,
    );
  } finally {
    loading.end();
  }
}

function reportOf(
  { name, spec, parameters }: ReadModel,
  { folder }: Benchmark,
  { modes, perCategory, half, maxTokens }: ToolsOptions,
): Omit<ToolsReport, 'categories' | 'total' | 'results'> {
  return {
    version: 1,
    date: new Date().toISOString(),
    machine: describeMachine(),
    versions: { llmHost: VERSION, mlx: loadAddon().versions.mlxLoaded, node: process.versions.node },
    model: { name, family: String(spec.config.model_type), parameters },
    benchmark: folder,
    settings: {
      modes,
      perCategory,
      half,
      maxTokens,
      environment: ownEnvironment(process.env),
    },
  };
}

/** Options of `bench --tools`, besides those of every bench. */
interface ToolsArguments extends BenchArguments {
  /** A folder with questions. */
  readonly tools: string;
  readonly all?: boolean | undefined;
  /** Comma-separated names. */
  readonly categories?: string | undefined;
  /** Comma-separated modes. */
  readonly mode?: string | undefined;
  readonly half?: Half | undefined;
  readonly again?: boolean | undefined;
}

const NOT_WITH_TOOLS = {
  promptTokens: 'prompt-tokens',
  runs: 'runs',
  clients: 'clients',
  turns: 'turns',
  graph: 'graph',
  compare: 'compare',
  mlxLmModel: 'mlx-lm-model',
  llamaCppModel: 'llama-cpp-model',
} as const satisfies Partial<Record<keyof BenchArguments, string>>;

/** Questions of each category, by default. */
const SAMPLE = 25;
/** Tokens of a case's replies, calls and repairs included. */
const MAX_TOKENS = 512;

interface ToolsOptions {
  readonly modes: readonly Mode[];
  /** undefined: all. */
  readonly perCategory: number | undefined;
  readonly half: Half | undefined;
  readonly maxTokens: number;
}

/** Throws LlmHostError USAGE. */
function toolsOptions(args: ToolsArguments): ToolsOptions {
  const wrong = Object.entries(NOT_WITH_TOOLS).find(([name]) => args[name as keyof typeof NOT_WITH_TOOLS]);
  if (wrong) throw new LlmHostError('USAGE', `--tools cannot be combined with --${wrong[1]}`);
  return {
    modes: args.mode === undefined ? MODES : named('mode', args.mode, MODES),
    perCategory: args.all ? undefined : SAMPLE,
    half: args.half,
    maxTokens: whole('generate', args.generate ?? MAX_TOKENS),
  };
}

/** The values of a comma-separated option, in the order of `known`. Throws LlmHostError USAGE. */
function named<T extends string>(option: string, given: string, known: readonly T[]): T[] {
  const names = given.split(',').map(name => name.trim());
  const unknown = names.find(name => !known.some(one => one === name));
  if (unknown !== undefined) {
    const near = nearest(unknown, known);
    throw new LlmHostError(
      'USAGE',
      `--${option} has no '${unknown}'${near ? `; did you mean '${near}'?` : ''}`,
      {
        hint: `It takes ${known.join(', ')}.`,
      },
    );
  }
  return known.filter(name => names.includes(name));
}
