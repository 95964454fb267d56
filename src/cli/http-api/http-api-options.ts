import type { ModelOptions } from '../../engine/model-options.ts';
import { LlmHostError } from '../../errors.ts';
import { type AccessRules, isLoopback } from '../../serve/http/access/access.ts';
import { DEFAULT_LIMITS, type ServeLimits } from '../../serve/http/serve-context.ts';
import type { ToolsPolicy } from '../../serve/http/tools-policy.ts';
import type { NumberRange } from '../../text/number-range.ts';
import { apiKeyOf } from '../options/api-key.ts';
import { type ChatArguments, checkNumber } from '../options/chat-options.ts';
import { readKeysFile } from './keys-file.ts';

/** The options of `serve` as yargs gives them, including those of every command that runs a model. */
export interface HttpApiArguments extends ChatArguments {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly apiKey?: string | undefined;
  readonly apiKeys?: string | undefined;
  readonly allowHost?: readonly string[] | undefined;
  readonly corsOrigin?: readonly string[] | undefined;
  readonly toolsPolicy?: ToolsPolicy | undefined;
  readonly models?: readonly string[] | undefined;
  readonly maxModels?: number | undefined;
  readonly manageModels?: boolean | undefined;
  readonly maxQueue?: number | undefined;
  readonly requestTimeout?: number | undefined;
  readonly drainTimeout?: number | undefined;
  readonly maxBody?: number | undefined;
  readonly page?: boolean | undefined;
  readonly cacheMb?: number | undefined;
  readonly parallel?: number | undefined;
  readonly maxGap?: number | undefined;
}

export interface HttpApiOptions {
  readonly access: AccessRules;
  readonly port: number;
  /** Sources of further models; `*`: all in the cache. */
  readonly models: readonly string[];
  /** Whether clients may download, copy and delete models. */
  readonly manageModels: boolean;
  /** Loaded at once, beside the first. */
  readonly maxOthers: number;
  readonly toolsPolicy: ToolsPolicy;
  readonly limits: ServeLimits;
  /** Whether browsers get the chat page. */
  readonly page: boolean;
  readonly engine: Pick<ModelOptions, 'cacheBytes' | 'maxGapMs'> & { readonly parallel: number };
  /** Requests at a time, including those being generated. */
  readonly places: number;
  /** Milliseconds for running requests at shutdown. */
  readonly drainMs: number;
}

const DEFAULT_PORT = 8080;
const DEFAULT_PLACES = 64;
const DEFAULT_MODELS = 3;
/** Each more slows the others down; a waiting request starts as soon as one of these has ended. */
const DEFAULT_PARALLEL = 8;
const DEFAULT_DRAIN_SECONDS = 20;

/** Checks the options. Throws LlmHostError USAGE, including for an address beyond loopback without a key. */
export function httpApiOptions(args: HttpApiArguments, env: NodeJS.ProcessEnv): HttpApiOptions {
  const host = args.host ?? '127.0.0.1';
  const apiKey = apiKeyOf(args.apiKey, env);
  const keys = args.apiKeys === undefined ? [] : readKeysFile(args.apiKeys);
  if (!isLoopback(host) && apiKey === undefined && keys.length === 0) {
    throw new LlmHostError('USAGE', `--host ${host} can be reached from other machines: a key is needed`, {
      hint: 'Give --api-key KEY, --api-key @FILE, --api-keys FILE, or the environment variable LLM_HOST_API_KEY.',
    });
  }
  const number = (flag: string, value: number | undefined, fallback: number, range: NumberRange) => {
    checkNumber(flag, value, range);
    return value ?? fallback;
  };
  checkNumber('max-gap', args.maxGap, { min: 1, max: 60_000, integer: true });
  const { requestMs, maxBody } = DEFAULT_LIMITS;
  const { models = [] } = args;
  if (models.includes('')) throw new LlmHostError('USAGE', 'the name of a model is empty');
  return {
    access: {
      host,
      apiKey,
      keys,
      allowedHosts: args.allowHost ?? [],
      corsOrigins: (args.corsOrigin ?? []).map(checkedOrigin),
    },
    models,
    manageModels: managesModels(args),
    maxOthers: number('max-models', args.maxModels, DEFAULT_MODELS, { min: 2, max: 100, integer: true }) - 1,
    toolsPolicy: args.toolsPolicy ?? 'auto',
    page: args.page ?? true,
    port: number('port', args.port, DEFAULT_PORT, { min: 0, max: 65_535, integer: true }),
    limits: {
      ...DEFAULT_LIMITS,
      requestMs:
        number('request-timeout', args.requestTimeout, requestMs / 1000, { min: 1, max: 86_400 }) * 1000,
      maxBody: number('max-body', args.maxBody, maxBody / 2 ** 20, { min: 0.01, max: 1000 }) * 2 ** 20,
    },
    places: number('max-queue', args.maxQueue, DEFAULT_PLACES, { min: 1, max: 10_000, integer: true }),
    engine: {
      cacheBytes:
        args.cacheMb === undefined
          ? 'auto'
          : Math.round(number('cache-mb', args.cacheMb, 0, { min: 0, max: 1e6 }) * 2 ** 20),
      parallel: number('parallel', args.parallel, DEFAULT_PARALLEL, { min: 1, max: 256, integer: true }),
      maxGapMs: args.maxGap,
    },
    drainMs: number('drain-timeout', args.drainTimeout, DEFAULT_DRAIN_SECONDS, { min: 0, max: 3600 }) * 1000,
  };
}

/** What is downloaded can be asked for only where all in the cache can. */
function managesModels({ manageModels = false, models = [] }: HttpApiArguments): boolean {
  if (!manageModels || models.includes('*')) return manageModels;
  throw new LlmHostError('USAGE', '--manage-models is for servers of all models in the cache', {
    hint: "Give --models '*' as well.",
  });
}

/** `*`, or an origin as browsers write it. */
function checkedOrigin(text: string): string {
  if (text === '*') return text;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && url.origin !== 'null') return url.origin;
  throw new LlmHostError(
    'USAGE',
    `--cors-origin takes an origin such as https://example.org, or *, not '${text}'`,
  );
}
