import { createHash, randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import { makeFolder } from '../text/files/make-folder.ts';
import { FeedError, type Paper, parseFeed } from './atom.ts';
import { ToolError } from './tool-server.ts';

/** arXiv's terms of use: no more than one request every three seconds, one connection at a time. */
const INTERVAL_MS = 3000;
const TIMEOUT_MS = 15_000;
const MAX_ATTEMPTS = 4;
const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 30_000;
const MAX_BYTES = 5 * 1024 * 1024;

export interface ArxivOptions {
  readonly baseUrl: string;
  /** Milliseconds; for tests. */
  readonly intervalMs?: number;
  readonly timeoutMs?: number;
  readonly firstWaitMs?: number;
}

/** A failure that a retry may not meet again. */
class Temporary extends Error {
  readonly retryAfterMs: number | undefined;

  constructor(message: string, retryAfterMs?: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Asks the arXiv API: one request at a time, three seconds apart, each within 15 s. Temporary failures (no answer, 429,
 * 5xx, a broken feed) are tried four times with exponential backoff, jitter (AWS's "full jitter") and the server's
 * Retry-After; one of more than half a minute is reported instead.
 */
export class ArxivClient {
  readonly #options: ArxivOptions;
  #last = Promise.resolve();
  #readyAt = 0;

  constructor(options: ArxivOptions) {
    this.#options = options;
  }

  /** Throws ToolError, also once `signal` aborts, which lets the next query begin. */
  query(params: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<readonly Paper[]> {
    const result = this.#last.then(() => this.#withRetries(params, signal));
    this.#last = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  async #withRetries(
    params: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<readonly Paper[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#once(params, signal);
      } catch (error) {
        if (signal?.aborted) throw new ToolError('The call was cancelled.');
        if (!(error instanceof Temporary)) throw error;
        const { retryAfterMs = 0 } = error;
        if (retryAfterMs > MAX_WAIT_MS) {
          const seconds = Math.ceil(retryAfterMs / 1000);
          throw new ToolError(`arXiv asks to be left alone for ${seconds} s: ${error.message}`);
        }
        if (attempt >= MAX_ATTEMPTS) {
          throw new ToolError(`arXiv could not be reached after ${MAX_ATTEMPTS} attempts: ${error.message}`);
        }
        // Once it is cancelled, the next attempt says so.
        await sleep(error.retryAfterMs ?? this.#backoff(attempt), undefined, { signal }).catch(
          () => undefined,
        );
      }
    }
  }

  async #once(
    params: Readonly<Record<string, string>>,
    cancelled: AbortSignal | undefined,
  ): Promise<readonly Paper[]> {
    const { baseUrl, intervalMs = INTERVAL_MS, timeoutMs = TIMEOUT_MS } = this.#options;
    await sleep(Math.max(0, this.#readyAt - performance.now()), undefined, { signal: cancelled });
    const url = new URL(`${baseUrl.replace(/\/$/, '')}/query`);
    url.search = new URLSearchParams(params).toString();
    try {
      const limit = AbortSignal.timeout(timeoutMs);
      const signal = cancelled === undefined ? limit : AbortSignal.any([limit, cancelled]);
      const response = await fetch(url, { signal, headers: { 'user-agent': 'llm-host' } });
      const text = await bounded(response);
      if (response.status === 429 || response.status >= 500) {
        throw new Temporary(`the service answered ${response.status}`, retryAfter(response));
      }
      if (response.status === 400) throw new ToolError(badRequest(text));
      if (!response.ok) throw new ToolError(`arXiv answered ${response.status}.`);
      return feedOf(text);
    } catch (error) {
      if (error instanceof ToolError || error instanceof Temporary) throw error;
      if (error instanceof Error && error.name === 'TimeoutError') {
        throw new Temporary(`no answer within ${timeoutMs / 1000} s`);
      }
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw new Temporary(messageOf(cause));
    } finally {
      this.#readyAt = performance.now() + intervalMs;
    }
  }

  #backoff(attempt: number): number {
    const { firstWaitMs = FIRST_WAIT_MS } = this.#options;
    const ceiling = Math.min(MAX_WAIT_MS, firstWaitMs * 2 ** (attempt - 1));
    return ceiling / 2 + (Math.random() * ceiling) / 2;
  }
}

function feedOf(text: string): readonly Paper[] {
  try {
    return parseFeed(text);
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    // arXiv sends empty or truncated feeds when busy.
    throw new Temporary(error.message);
  }
}

/** arXiv explains a bad request in its feed. */
function badRequest(text: string): string {
  try {
    parseFeed(text);
  } catch (error) {
    if (error instanceof FeedError) return `arXiv refused the request: ${error.message}`;
  }
  return 'arXiv refused the request.';
}

/** It is in seconds. */
function retryAfter(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

async function bounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new ToolError("arXiv's answer is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const DAY_MS = 24 * 60 * 60 * 1000;

interface Entry {
  readonly key: string;
  readonly stored: number;
  readonly papers: readonly Paper[];
}

/** Answers of the arXiv API, one file each; arXiv's own index changes once a day. */
export class PaperCache {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Undefined if missing, broken, or older than `maxAgeMs`. */
  async get(key: string, maxAgeMs = DAY_MS): Promise<readonly Paper[] | undefined> {
    try {
      const entry = JSON.parse(await readFile(this.#path(key), 'utf8')) as Entry;
      const fresh = entry.key === key && Date.now() - entry.stored <= maxAgeMs;
      return fresh && Array.isArray(entry.papers) ? entry.papers : undefined;
    } catch {
      // Missing or broken: ask arXiv again.
      return undefined;
    }
  }

  /** A cache that cannot be written costs a request later, not the answer. */
  async set(key: string, papers: readonly Paper[]): Promise<void> {
    const entry: Entry = { key, stored: Date.now(), papers };
    const path = this.#path(key);
    const temporary = `${path}.${randomUUID()}.tmp`;
    try {
      makeFolder(this.#folder, 0o700);
      await writeFile(temporary, JSON.stringify(entry), { mode: 0o600 });
      await rename(temporary, path);
    } catch (error) {
      process.stderr.write(`the cache cannot be written: ${String(error)}\n`);
      await rm(temporary, { force: true });
    }
  }

  #path(key: string): string {
    return join(this.#folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`);
  }
}
