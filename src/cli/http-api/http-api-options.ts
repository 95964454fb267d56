import type { ModelOptions } from '../../engine/model-options.ts';
import { LlmHostError } from '../../errors.ts';
import { type AccessRules, isLoopback } from '../../serve/http/access/access.ts';
import { DEFAULT_LIMITS, type ServeLimits } from '../../serve/http/serve-context.ts';
import type { ToolsPolicy } from '../../serve/http/tools-policy.ts';
import { apiKeyOf } from '../options/api-key.ts';
import { checkNumbers } from '../options/check-options.ts';
import type { HttpApiArguments } from '../options/option-table.ts';
import { readKeysFile } from './keys-file.ts';

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
  checkNumbers(args);
  const host = args.host ?? '127.0.0.1';
  const apiKey = apiKeyOf(args.apiKey, env);
  const keys = args.apiKeys === undefined ? [] : readKeysFile(args.apiKeys);
  if (!isLoopback(host) && apiKey === undefined && keys.length === 0) {
    throw new LlmHostError('USAGE', `--host ${host} can be reached from other machines: a key is needed`, {
      hint: 'Give --api-key KEY, --api-key @FILE, --api-keys FILE, or the environment variable LLM_HOST_API_KEY.',
    });
  }
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
    maxOthers: (args.maxModels ?? DEFAULT_MODELS) - 1,
    toolsPolicy: args.toolsPolicy ?? 'auto',
    page: args.page ?? true,
    port: args.port ?? DEFAULT_PORT,
    limits: {
      ...DEFAULT_LIMITS,
      requestMs: (args.requestTimeout ?? requestMs / 1000) * 1000,
      maxBody: (args.maxBody ?? maxBody / 2 ** 20) * 2 ** 20,
    },
    places: args.maxQueue ?? DEFAULT_PLACES,
    engine: {
      cacheBytes: args.cacheMb === undefined ? 'auto' : Math.round(args.cacheMb * 2 ** 20),
      parallel: args.parallel ?? DEFAULT_PARALLEL,
      maxGapMs: args.maxGap,
    },
    drainMs: (args.drainTimeout ?? DEFAULT_DRAIN_SECONDS) * 1000,
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
