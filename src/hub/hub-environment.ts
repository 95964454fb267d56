import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { LlmHostError, messageOf } from '../errors.ts';
import { readTextFile } from '../text/files/read-text-file.ts';

export interface HubToken {
  readonly value: string;
  /** The variable or file it comes from, for messages. */
  readonly origin: string;
}

/** Settings of the Hub, from the same environment variables as Python's huggingface_hub. */
export interface HubEnvironment {
  /** `https://huggingface.co` or a mirror, without a trailing slash. */
  readonly endpoint: string;
  /** Absolute path. */
  readonly cacheFolder: string;
  readonly token: HubToken | undefined;
  /** Make no requests. */
  readonly offline: boolean;
  /** Milliseconds without a byte after which a request fails: for metadata, and for files. */
  readonly answerTimeoutMs: number;
  readonly fileTimeoutMs: number;
  /** For the proxy variables. */
  readonly env: NodeJS.ProcessEnv;
}

const ENDPOINT = 'https://huggingface.co';
const TIMEOUT_SECONDS = 10;
const MAX_TOKEN_BYTES = 64 * 1024;

/** Reads the `HF_*` variables and the token file. Throws LlmHostError CONFIG for an unusable value. */
export function hubEnvironment(env: NodeJS.ProcessEnv): HubEnvironment {
  return {
    endpoint: endpointOf(env.HF_ENDPOINT),
    cacheFolder: hubCacheFolder(env),
    token: isSet(env.HF_HUB_DISABLE_IMPLICIT_TOKEN) ? undefined : tokenOf(env),
    offline: isOffline(env),
    answerTimeoutMs: seconds(env.HF_HUB_ETAG_TIMEOUT) * 1000,
    fileTimeoutMs: seconds(env.HF_HUB_DOWNLOAD_TIMEOUT) * 1000,
    env,
  };
}

/** The folder where Hugging Face's tools keep downloaded models. */
export function hubCacheFolder(env: NodeJS.ProcessEnv): string {
  const given = env.HF_HUB_CACHE || env.HUGGINGFACE_HUB_CACHE;
  return given ? expanded(given, env) : join(huggingFaceHome(env), 'hub');
}

function isOffline(env: NodeJS.ProcessEnv): boolean {
  return isSet(env.HF_HUB_OFFLINE || env.TRANSFORMERS_OFFLINE);
}

function huggingFaceHome(env: NodeJS.ProcessEnv): string {
  if (env.HF_HOME) return expanded(env.HF_HOME, env);
  return join(resolve(env.XDG_CACHE_HOME || join(home(env), '.cache')), 'huggingface');
}

const home = (env: NodeJS.ProcessEnv): string => env.HOME || homedir();

function expanded(path: string, env: NodeJS.ProcessEnv): string {
  return resolve(path.replace(/^~(?=\/|$)/, () => home(env)));
}

/** As huggingface_hub reads a switch. */
function isSet(value: string | undefined): boolean {
  return /^(1|on|yes|true)$/i.test(value ?? '');
}

function seconds(value: string | undefined): number {
  const number = Number(value || TIMEOUT_SECONDS);
  return Number.isFinite(number) && number > 0 ? number : TIMEOUT_SECONDS;
}

function endpointOf(given: string | undefined): string {
  const text = (given || ENDPOINT).replace(/\/+$/, '');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.protocol === 'https:' || url.protocol === 'http:')) return text;
  throw new LlmHostError('CONFIG', `HF_ENDPOINT is not an http address: ${text}`, {
    hint: `Give it as ${ENDPOINT}, or unset it.`,
  });
}

function tokenOf(env: NodeJS.ProcessEnv): HubToken | undefined {
  for (const name of ['HF_TOKEN', 'HUGGING_FACE_HUB_TOKEN']) {
    const value = env[name]?.trim();
    if (value) return checked({ value, origin: name });
  }
  const path = env.HF_TOKEN_PATH ? expanded(env.HF_TOKEN_PATH, env) : join(huggingFaceHome(env), 'token');
  const value = readToken(path, env.HF_TOKEN_PATH !== undefined)?.trim();
  return value ? checked({ value, origin: path }) : undefined;
}

/** `named`: by the user, who may have meant a pipe. */
function readToken(path: string, named: boolean): string | undefined {
  try {
    return readTextFile(path, MAX_TOKEN_BYTES, { pipes: named });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new LlmHostError('CONFIG', `the token file ${path} cannot be read: ${messageOf(error)}`, {
      hint: 'Make it readable, set HF_TOKEN, or set HF_HUB_DISABLE_IMPLICIT_TOKEN=1 to continue without a token.',
      cause: error,
    });
  }
}

/** Anything else must not get into a header. */
function checked(token: HubToken): HubToken {
  if (/^[\x21-\x7e]+$/.test(token.value)) return token;
  throw new LlmHostError('CONFIG', `the token in ${token.origin} contains spaces or invalid characters`, {
    hint: 'A token is one word such as hf_...; see https://huggingface.co/settings/tokens',
  });
}
