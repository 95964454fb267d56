import { messageOf } from '../errors.ts';
import { isPlainObject } from '../text/json/plain-object.ts';
import { type HttpClient, type HubResponse, networkFailure } from './http-client.ts';
import type { HubEnvironment } from './hub-environment.ts';
import { HubFailure } from './hub-failure.ts';
import { type HubId, isCommit } from './hub-id.ts';
import { statusFailure } from './hub-status.ts';
import { type RetryOptions, withRetries } from './retry.ts';

/** A file of a repository at a commit. */
export interface HubFile {
  /** Relative, with slashes. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Its blob's name in the cache: a sha256 for large files, else git's sha1. */
  readonly etag: string;
}

export interface HubListing {
  readonly commit: string;
  readonly files: readonly HubFile[];
}

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_PAGES = 1000;

/** Resolves the revision and lists the repository's files. Throws HubFailure. */
export async function listRepository(
  id: HubId,
  client: HttpClient,
  environment: HubEnvironment,
  retry: RetryOptions,
): Promise<HubListing> {
  const api = `${environment.endpoint}/api/models/${id.repo}`;
  const ask = (url: URL) => withRetries(() => getJson(url, id, client, environment, retry.signal), retry);
  let commit: unknown = id.revision;
  if (!isCommit(id.revision)) {
    const info = await ask(new URL(`${api}/revision/${encodeURIComponent(id.revision)}`));
    commit = isPlainObject(info.value) ? info.value.sha : undefined;
  }
  if (typeof commit !== 'string' || !isCommit(commit)) throw strange(environment, 'no commit');
  const files: HubFile[] = [];
  let next: URL | undefined = new URL(`${api}/tree/${commit}?recursive=true`);
  for (let page = 0; next && page < MAX_PAGES; page++) {
    const answer: Page = await ask(next);
    if (!Array.isArray(answer.value)) throw strange(environment, 'no list of files');
    files.push(...answer.value.flatMap(entry => fileOf(entry, environment)));
    next = answer.next;
  }
  return { commit, files };
}

interface Page {
  readonly value: unknown;
  readonly next: URL | undefined;
}

async function getJson(
  url: URL,
  id: HubId,
  client: HttpClient,
  environment: HubEnvironment,
  signal: AbortSignal | undefined,
): Promise<Page> {
  const answer = await client.get({ url, timeoutMs: environment.answerTimeoutMs, signal });
  const text = await readText(answer);
  if (answer.status < 200 || answer.status > 299) {
    throw statusFailure(answer.status, answer.headers, answer.url.host, id, environment);
  }
  try {
    return { value: JSON.parse(text), next: nextPage(answer) };
  } catch (error) {
    throw strange(environment, `no JSON (${messageOf(error)})`);
  }
}

async function readText({ body, url }: HubResponse): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) throw new HubFailure(`The answer of ${url.host} is too large.`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw networkFailure(error, url);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Long lists come in pages. */
function nextPage({ headers, url }: HubResponse): URL | undefined {
  const [, target] = /<([^>]*)>\s*;\s*rel="?next"?/.exec(String(headers.link ?? '')) ?? [];
  return target === undefined ? undefined : new URL(target, url);
}

function strange({ endpoint }: HubEnvironment, what: string): HubFailure {
  return new HubFailure(`${endpoint} does not answer like the Hub: ${what}.`, {
    advice: 'Check HF_ENDPOINT, and whether this network needs a login in a browser first.',
  });
}

/** Folders are skipped: the list has their files too. */
function fileOf(entry: unknown, environment: HubEnvironment): HubFile[] {
  if (!isPlainObject(entry)) throw strange(environment, 'an unexpected list of files');
  if (entry.type !== 'file') return [];
  const { path, size, oid, lfs } = entry;
  const etag = isPlainObject(lfs) ? lfs.oid : oid;
  const bytes = isPlainObject(lfs) ? lfs.size : size;
  if (!isSafePath(path) || !isSize(bytes) || !isEtag(etag))
    throw strange(environment, 'an unexpected list of files');
  return [{ path, size: bytes, etag }];
}

const isSize = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

const isEtag = (value: unknown): value is string =>
  typeof value === 'string' && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(value);

/** The path is used on disk, so it must stay inside its folder. */
function isSafePath(path: unknown): path is string {
  if (typeof path !== 'string' || path.length > 1000 || /[\\\0]/.test(path)) return false;
  return path.split('/').every(part => part !== '' && part !== '.' && part !== '..');
}
