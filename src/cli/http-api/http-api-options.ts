import { resolve } from 'node:path';
import { z } from 'zod';
import type { ModelOptions } from '../../engine/model-options.ts';
import { LlmHostError, messageOf } from '../../errors.ts';
import { type AccessRules, type ApiKey, isLoopback } from '../../serve/http/access/access.ts';
import { DEFAULT_LIMITS, type ServeLimits } from '../../serve/http/serve-context.ts';
import type { ToolsPolicy } from '../../serve/http/tools-policy.ts';
import { readTextFile } from '../../text/files/read-text-file.ts';
import { parseJsonWithComments } from '../../text/json/json-with-comments.ts';
import { apiKeyOf } from '../options/api-key.ts';
import { checkNumbers } from '../options/check-options.ts';
import type { HttpApiArguments } from '../options/option-table.ts';

export interface HttpApiOptions {
  readonly access: AccessRules;
  readonly port: number;
  /** Sources of further models; `*`: all in the cache. */
  readonly models: readonly string[];
  /** Whether clients may download, copy and delete models. */
  readonly manageModels: boolean;
  /** Loaded at once, in addition to the first. */
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
  if (models.includes('')) throw new LlmHostError('USAGE', 'a model name is empty');
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

/** A downloaded model can be requested only from a server of all models in the cache. */
function managesModels({ manageModels = false, models = [] }: HttpApiArguments): boolean {
  if (!manageModels || models.includes('*')) return manageModels;
  throw new LlmHostError('USAGE', '--manage-models is only for servers of all models in the cache', {
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

const MAX_BYTES = 1024 * 1024;

const perMinute = z.number().int().min(1).max(1e9).optional();

const keysFile = z.record(
  z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, 'a name has 1 to 64 letters, digits, . _ -'),
  z.strictObject({
    key: z
      .string()
      .min(1)
      .max(512)
      .regex(/^[\x21-\x7e]+$/, 'a key has no spaces, and only ASCII'),
    requestsPerMinute: perMinute,
    tokensPerMinute: perMinute,
  }),
);

/** `--api-keys FILE`: `{ "name": { "key": "...", "requestsPerMinute": 60, "tokensPerMinute": 10000 } }`. Throws LlmHostError USAGE. */
export function readKeysFile(file: string): readonly ApiKey[] {
  const path = resolve(file);
  const fault = (what: string) => new LlmHostError('USAGE', `--api-keys: ${path} ${what}`);
  let text: string;
  try {
    text = readTextFile(path, MAX_BYTES, { pipes: true });
  } catch (error) {
    throw fault(`cannot be read (${messageOf(error)})`);
  }
  const parsed = parseJsonWithComments(text);
  if (!parsed.ok) throw fault(`is not valid JSON: ${parsed.detail}`);
  const read = keysFile.safeParse(parsed.value);
  if (!read.success) {
    const [issue] = read.error.issues;
    const what = issue?.code === 'invalid_key' ? issue.issues[0]?.message : issue?.message;
    throw fault(`is not as documented: ${issue?.path.map(String).join('.') || 'the file'}: ${what}`);
  }
  const keys = Object.entries(read.data).map(([name, { key, ...limits }]) => ({ name, key, ...limits }));
  if (keys.length === 0) throw fault('has no keys');
  const twice = keys.find(({ key }, index) => keys.findIndex(one => one.key === key) !== index);
  if (twice) throw fault(`has the key of '${twice.name}' twice`);
  return keys;
}
