import { type HttpClient, type HubResponse, networkFailure } from './http-client.ts';
import type { HubFile } from './hub-api.ts';
import type { HubEnvironment } from './hub-environment.ts';
import { HubFailure } from './hub-failure.ts';
import type { HubId } from './hub-id.ts';
import { statusFailure } from './hub-status.ts';
import type { PartialFile, Segment } from './partial-file.ts';
import { Patience, type RetryOptions } from './retry.ts';
import type { TransferMeter } from './transfer-meter.ts';

/** Shared by all requests for one snapshot. */
export interface DownloadContext {
  readonly id: HubId;
  readonly commit: string;
  readonly client: HttpClient;
  readonly environment: HubEnvironment;
  readonly meter: TransferMeter;
  readonly retry: RetryOptions;
}

/** Fetches the rest of a segment, resuming when the connection breaks. Throws HubFailure. */
export async function downloadSegment(
  file: HubFile,
  partial: PartialFile,
  segment: Segment,
  context: DownloadContext,
): Promise<void> {
  const patience = new Patience(context.retry);
  while (segment.done < segment.length) {
    const before = segment.done;
    try {
      await fetchRest(file, partial, segment, context);
    } catch (error) {
      if (segment.done > before) patience.reset();
      await patience.wait(error);
    }
  }
}

async function fetchRest(
  file: HubFile,
  partial: PartialFile,
  segment: Segment,
  context: DownloadContext,
): Promise<void> {
  const { client, environment, meter, retry } = context;
  const start = segment.start + segment.done;
  const end = segment.start + segment.length;
  const answer = await client.get({
    url: addressOf(file, context),
    range: start === 0 && end === file.size ? undefined : { start, end },
    timeoutMs: environment.fileTimeoutMs,
    signal: retry.signal,
  });
  try {
    checkAnswer(answer, file, start, context);
    if (answer.status === 200 && segment.length < file.size) throw noRanges(answer.url);
    if (answer.status === 200 && start > 0) {
      // Some servers ignore ranges for small files and send them whole.
      meter.discard(segment.done);
      await partial.restart(segment);
    }
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      if (chunk.length > segment.length - segment.done) throw wrongSize(file, 'sends more of it');
      await partial.append(segment, chunk);
      meter.receive(chunk.length);
    }
  } catch (error) {
    throw networkFailure(error, answer.url);
  } finally {
    // Only a body read to its end gives its connection back.
    if (!answer.body.readableEnded) answer.body.destroy();
  }
  if (segment.done < segment.length) throw endedEarly(file, segment);
}

function addressOf({ path }: HubFile, { environment, id, commit }: DownloadContext): URL {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return new URL(`${environment.endpoint}/${id.repo}/resolve/${commit}/${encoded}`);
}

function checkAnswer(
  answer: HubResponse,
  file: HubFile,
  start: number,
  { id, environment }: DownloadContext,
): void {
  const { status, headers, hubHeaders, url } = answer;
  if (status === 416) throw wrongSize(file, 'has less of it');
  if (status !== 200 && status !== 206) throw notServed(answer, file, id, environment);
  const etag = hashIn(hubHeaders['x-linked-etag'] ?? hubHeaders.etag);
  if (etag?.length === file.etag.length && etag !== file.etag) {
    throw new HubFailure(`The Hub lists ${file.path} as ${file.etag}, but sends ${etag} (etag).`, {
      advice: 'The repository or a mirror is being updated: try again later, or unset HF_ENDPOINT.',
    });
  }
  if (headers['content-encoding'] && headers['content-encoding'] !== 'identity') {
    throw new HubFailure(`${url.host} sends ${file.path} compressed, which was not asked for.`);
  }
  const [, from, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
  const length = status === 206 ? Number(total) : Number(headers['content-length'] ?? file.size);
  if (length !== file.size || (status === 206 && Number(from) !== start)) {
    throw wrongSize(file, `announces ${Number.isNaN(length) ? 'no size' : `${length} bytes`}`);
  }
}

/** The hash in an etag such as `W/"..."`; undefined for anything else. */
function hashIn(etag: string | string[] | undefined): string | undefined {
  return /^(?:W\/)?"?([0-9a-f]{40}|[0-9a-f]{64})"?$/.exec(String(etag ?? ''))?.[1];
}

function notServed(
  { status, headers, url }: HubResponse,
  file: HubFile,
  id: HubId,
  environment: HubEnvironment,
): HubFailure {
  const code = headers['x-error-code'];
  if (url.origin !== new URL(environment.endpoint).origin && status !== 429) {
    // A signed address expires; the Hub gives a new one.
    return new HubFailure(`${url.host} answered ${status} for ${file.path}.`, { temporary: true });
  }
  if (status === 404 && code !== 'RepoNotFound' && code !== 'RevisionNotFound') {
    return new HubFailure(`The Hub lists ${file.path}, but does not have it (404).`, {
      advice: 'The repository or a mirror is being updated: try again later.',
    });
  }
  return statusFailure(status, headers, url.host, id, environment);
}

function noRanges(url: URL): HubFailure {
  return new HubFailure(`${url.host} does not send parts of files (HTTP ranges), which large files need.`, {
    advice: 'Unset HF_ENDPOINT, or use another mirror.',
  });
}

function wrongSize({ path, size }: HubFile, what: string): HubFailure {
  return new HubFailure(`The Hub lists ${path} with ${size} bytes, but ${what}.`, {
    advice: 'The repository or a mirror is being updated: try again later.',
  });
}

function endedEarly({ path, size }: HubFile, { start, done }: Segment): HubFailure {
  return new HubFailure(`${path} ended after ${start + done} of ${size} bytes.`, { temporary: true });
}
