import { QUANTIZE_CHOICES } from '../../model/weights/quantize-choices.ts';
import { TOOLS_POLICIES } from '../../serve/http/tools-policy.ts';
import type { NumberRange } from '../../text/number-range.ts';
import type { SamplingArguments } from './sampling-options.ts';

export type OptionCommand = 'chat' | 'serve' | 'bench';

const GROUPS = ['Model', 'Sampling', 'Tools', 'Sessions', 'Output', 'Server'] as const;

/** An option of the command line. Its key in the table is its name in the program; the flag is the same in kebab case. */
export interface OptionRow {
  /** `texts`: may be given several times. */
  readonly kind: 'text' | 'number' | 'flag' | 'texts';
  readonly commands: readonly OptionCommand[];
  readonly group: (typeof GROUPS)[number];
  /** A line for `--help`. */
  readonly doc: string;
  /** Where it means something else to `serve`. */
  readonly serveDoc?: string;
  /** Shown by `llm-host --help`, not by `--help-all` alone. */
  readonly usual?: boolean;
  readonly alias?: string;
  readonly choices?: readonly (string | number)[];
  readonly range?: NumberRange;
  /** Its place in config.json. */
  readonly config?: string;
  /** May stand without a value. */
  readonly bare?: boolean;
  /** Texts that `--no-NAME` switches off. */
  readonly negatable?: boolean;
  /**
   * Refused with a model of `llm-host serve` (--connect), one of Ollama, or one shared between machines (--hosts).
   * `ollama only`: unless a server may load further models here.
   */
  readonly not?: readonly ('connect' | 'ollama' | 'ollama only' | 'hosts')[];
}

const RUNS = ['chat', 'serve'] as const;
const LOADS = ['chat', 'serve', 'bench'] as const;

/**
 * The one table of the options of the commands that run a model, next to that of the sampling fields. The declarations for
 * yargs, the types of the arguments, the checks of numbers and the refusals are derived from it.
 */
export const OPTIONS = {
  model: {
    kind: 'text',
    commands: RUNS,
    group: 'Model',
    usual: true,
    alias: 'm',
    config: 'model',
    doc: 'Hub id (org/name), alias, folder, .gguf file or demo',
  },
  revision: {
    kind: 'text',
    commands: RUNS,
    group: 'Model',
    not: ['connect'],
    doc: 'branch, tag or commit of a Hub model (default main)',
  },
  backend: {
    kind: 'text',
    choices: ['mlx', 'ollama'],
    commands: RUNS,
    group: 'Model',
    not: ['connect'],
    doc: 'what runs the model; ollama:NAME is short for --backend ollama NAME',
  },
  ollamaBaseUrl: {
    kind: 'text',
    commands: RUNS,
    group: 'Model',
    config: 'ollama.base_url',
    not: ['connect'],
    doc: 'address of Ollama (default http://localhost:11434)',
  },
  connect: {
    kind: 'text',
    commands: ['chat'],
    group: 'Model',
    doc: 'use the model of a running `llm-host serve` at this address',
  },
  apiKey: {
    kind: 'text',
    commands: RUNS,
    group: 'Model',
    doc: "with --connect: the server's API key, or @FILE (or LLM_HOST_API_KEY)",
    serveDoc: 'API key that every client must send, or @FILE (or LLM_HOST_API_KEY)',
  },
  config: {
    kind: 'texts',
    commands: RUNS,
    group: 'Model',
    doc: 'config file, or an mcp file (repeatable)',
  },
  system: {
    kind: 'text',
    commands: RUNS,
    group: 'Model',
    usual: true,
    config: 'SystemPrompt',
    doc: 'system prompt, or @FILE',
  },
  context: {
    kind: 'number',
    range: { min: 1, max: 10_000_000, integer: true },
    commands: RUNS,
    group: 'Model',
    usual: true,
    config: 'context',
    not: ['connect'],
    doc: 'context length in tokens (default: up to the model)',
  },
  think: {
    kind: 'flag',
    commands: RUNS,
    group: 'Model',
    doc: 'think before answering; --no-think: do not',
  },
  quantize: {
    kind: 'text',
    choices: QUANTIZE_CHOICES,
    commands: LOADS,
    group: 'Model',
    not: ['connect', 'ollama', 'ollama only'],
    doc: 'quantize the weights while loading: bits, or a mode',
  },
  saveQuantized: {
    kind: 'text',
    commands: RUNS,
    group: 'Model',
    not: ['connect', 'ollama', 'ollama only', 'hosts'],
    doc: 'with --quantize: save the result to this new folder',
  },
  adapter: {
    kind: 'texts',
    commands: LOADS,
    group: 'Model',
    not: ['connect', 'ollama', 'ollama only'],
    doc: 'folder of a LoRA adapter (repeatable)',
  },
  kvBits: {
    kind: 'number',
    choices: [4, 8],
    commands: LOADS,
    group: 'Model',
    not: ['connect', 'ollama only'],
    doc: 'quantize the KV cache to use less memory per token',
  },
  draftModel: {
    kind: 'text',
    commands: RUNS,
    group: 'Model',
    config: 'draftModel',
    not: ['connect', 'ollama', 'ollama only', 'hosts'],
    doc: 'smaller model with the same tokenizer, for speculative decoding',
  },
  hosts: {
    kind: 'text',
    commands: RUNS,
    group: 'Model',
    not: ['connect', 'ollama', 'ollama only'],
    doc: 'share the model with the machines in this file (docs/distributed.md)',
  },
  diskCacheMb: {
    kind: 'number',
    range: { min: 0, max: 1e6 },
    commands: RUNS,
    group: 'Model',
    config: 'diskCacheMb',
    not: ['connect', 'ollama only'],
    doc: 'size of the on-disk prompt cache in MB (default 4096, 0 = off)',
  },
  repetitionGuard: {
    kind: 'flag',
    commands: RUNS,
    group: 'Sampling',
    config: 'repetitionGuard',
    not: ['connect'],
    doc: '--no-repetition-guard: do not stop a reply that repeats itself endlessly',
  },
  mcp: {
    kind: 'texts',
    negatable: true,
    commands: RUNS,
    group: 'Tools',
    usual: true,
    doc: 'mcp file (repeatable); --no-mcp: no servers',
  },
  tools: {
    kind: 'texts',
    commands: RUNS,
    group: 'Tools',
    usual: true,
    doc: 'offer only these tools; * and ? match (repeatable)',
  },
  ask: { kind: 'flag', commands: ['chat'], group: 'Tools', usual: true, doc: 'ask before each tool call' },
  yes: {
    kind: 'flag',
    commands: ['chat'],
    group: 'Tools',
    usual: true,
    doc: 'do not ask before deleting or overwriting calls',
  },
  toolTimeout: {
    kind: 'number',
    range: { min: 0, above: true, max: 86_400 },
    commands: RUNS,
    group: 'Tools',
    config: 'tools.timeout',
    doc: 'time limit of a tool call in seconds (default 90)',
  },
  save: {
    kind: 'text',
    commands: ['chat'],
    group: 'Sessions',
    usual: true,
    doc: 'keep the conversation in this file',
  },
  resume: {
    kind: 'text',
    bare: true,
    commands: ['chat'],
    group: 'Sessions',
    usual: true,
    doc: 'continue a saved conversation (default: the latest)',
  },
  prompt: {
    kind: 'text',
    alias: 'p',
    commands: ['chat'],
    group: 'Output',
    usual: true,
    doc: 'answer one prompt and exit; piped stdin is appended',
  },
  schema: {
    kind: 'text',
    commands: ['chat'],
    group: 'Output',
    doc: 'with -p: file with a JSON Schema for the answer',
  },
  json: {
    kind: 'flag',
    commands: ['chat'],
    group: 'Output',
    usual: true,
    doc: 'one JSON event per line on stdout (docs/events.md)',
  },
  plain: {
    kind: 'flag',
    commands: ['chat'],
    group: 'Output',
    doc: 'line mode on a terminal too; piped, print the whole transcript',
  },
  quiet: { kind: 'flag', commands: RUNS, group: 'Output', doc: 'print no start-up lines' },
  notify: {
    kind: 'text',
    choices: ['bell', 'osc9', 'osc777', 'off'],
    commands: ['chat'],
    group: 'Output',
    config: 'notify.with',
    doc: 'announce the end of a long turn by bell or desktop notification (default off)',
  },
  notifyAfter: {
    kind: 'number',
    range: { min: 0, max: 86_400 },
    commands: ['chat'],
    group: 'Output',
    config: 'notify.after',
    doc: 'with --notify: only after turns of at least this many seconds (default 10)',
  },
  color: { kind: 'flag', commands: ['chat'], group: 'Output', doc: '--no-color: no colours' },
  logLevel: {
    kind: 'text',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    commands: RUNS,
    group: 'Output',
    config: 'logging.level',
    doc: 'level of the log file (default info)',
  },
  logFile: {
    kind: 'text',
    commands: RUNS,
    group: 'Output',
    config: 'logging.file',
    doc: 'log file (default: llm-host.log in the state folder)',
  },
  debug: { kind: 'flag', commands: RUNS, group: 'Output', doc: 'same as --log-level debug' },
  host: {
    kind: 'text',
    commands: ['serve'],
    group: 'Server',
    doc: 'address to listen on (default 127.0.0.1); any other needs a key',
  },
  port: {
    kind: 'number',
    range: { min: 0, max: 65_535, integer: true },
    commands: ['serve'],
    group: 'Server',
    doc: 'port to listen on (default 8080, 0 = any free port)',
  },
  apiKeys: {
    kind: 'text',
    commands: ['serve'],
    group: 'Server',
    doc: 'file of keys with names and limits (docs/serve.md)',
  },
  allowHost: {
    kind: 'texts',
    commands: ['serve'],
    group: 'Server',
    doc: 'another host name that clients may use (repeatable)',
  },
  corsOrigin: {
    kind: 'texts',
    commands: ['serve'],
    group: 'Server',
    doc: 'origin of web pages that may send requests, or * (repeatable)',
  },
  toolsPolicy: {
    kind: 'text',
    choices: TOOLS_POLICIES,
    commands: ['serve'],
    group: 'Server',
    doc: 'when to offer the tools of mcp.json; auto = to requests without tools of their own (default)',
  },
  page: {
    kind: 'flag',
    commands: ['serve'],
    group: 'Server',
    doc: '--no-page: no chat page for browsers at /',
  },
  models: {
    kind: 'texts',
    commands: ['serve'],
    group: 'Server',
    doc: 'another model that requests may name, also as a word; * = all in the cache (repeatable)',
  },
  manageModels: {
    kind: 'flag',
    commands: ['serve'],
    group: 'Server',
    doc: "with --models '*': clients may download, copy and delete models (/api/pull, /api/copy, /api/delete)",
  },
  maxModels: {
    kind: 'number',
    range: { min: 2, max: 100, integer: true },
    commands: ['serve'],
    group: 'Server',
    doc: 'models loaded at once, including the first (default 3)',
  },
  maxQueue: {
    kind: 'number',
    range: { min: 1, max: 10_000, integer: true },
    commands: ['serve'],
    group: 'Server',
    doc: 'requests at a time (default 64); more are answered with 429',
  },
  parallel: {
    kind: 'number',
    range: { min: 1, max: 256, integer: true },
    commands: ['serve'],
    group: 'Server',
    doc: 'replies generated at once (default 8); more wait',
  },
  maxGap: {
    kind: 'number',
    range: { min: 1, max: 60_000, integer: true },
    commands: ['serve'],
    group: 'Server',
    not: ['hosts'],
    doc: 'how long a running reply may wait for the prompts of others, in ms (default 100)',
  },
  requestTimeout: {
    kind: 'number',
    range: { min: 1, max: 86_400 },
    commands: ['serve'],
    group: 'Server',
    doc: 'time limit of a request in seconds, including waiting and tools (default 600)',
  },
  drainTimeout: {
    kind: 'number',
    range: { min: 0, max: 3600 },
    commands: ['serve'],
    group: 'Server',
    doc: 'time for running requests at shutdown in seconds (default 20)',
  },
  maxBody: {
    kind: 'number',
    range: { min: 0.01, max: 1000 },
    commands: ['serve'],
    group: 'Server',
    doc: 'largest request body in MB (default 10)',
  },
  cacheMb: {
    kind: 'number',
    range: { min: 0, max: 1e6 },
    commands: ['serve'],
    group: 'Server',
    doc: 'memory for cached conversations in MB (default: four times the weights, 256 to 1024)',
  },
} as const satisfies Readonly<Record<string, OptionRow>>;

type Table = typeof OPTIONS;
export type OptionName = keyof Table;

type ValueOf<Row> = Row extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : Row extends { readonly negatable: true }
    ? readonly string[] | false
    : Row extends { readonly kind: 'texts' }
      ? readonly string[]
      : Row extends { readonly kind: 'number' }
        ? number
        : Row extends { readonly kind: 'flag' }
          ? boolean
          : string;

export type ArgumentsOf<Command extends OptionCommand> = {
  readonly [Name in OptionName as Command extends Table[Name]['commands'][number] ? Name : never]?:
    | ValueOf<Table[Name]>
    | undefined;
};

/** The options of a chat as yargs gives them. `resume` ''; the latest conversation. */
export type ChatArguments = SamplingArguments & ArgumentsOf<'chat'>;
/** The options of `serve`, with those of a chat, which it does not have. */
export type HttpApiArguments = ChatArguments & ArgumentsOf<'serve'>;

export const OPTION_NAMES = Object.keys(OPTIONS) as readonly OptionName[];

/** The table's row, with all that a row may have. */
export function optionRow(name: OptionName): OptionRow {
  return OPTIONS[name];
}

/** `kvBits` as the user writes it: `--kv-bits`. */
export function flagOf(name: OptionName): string {
  return `--${name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;
}
