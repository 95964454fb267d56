import { setMaxListeners } from 'node:events';
import { rename, rm } from 'node:fs/promises';
import { contentHash } from './content-hash.ts';
import { onDisk } from './disk-failure.ts';
import type { HubFile } from './hub-api.ts';
import { HubFailure } from './hub-failure.ts';
import { PartialFile, type Segment } from './partial-file.ts';
import type { RepoFolder } from './repo-folder.ts';
import { type DownloadContext, downloadSegment } from './segment-download.ts';

/** Requests at a time. */
const CONNECTIONS = 8;
/** Attempts at a file whose hash is wrong. */
const FRESH_STARTS = 1;

/** A blob being downloaded. */
interface Job {
  readonly file: HubFile;
  readonly partial: PartialFile;
  readonly waiting: Segment[];
  /** Segments being downloaded. */
  running: number;
  settled: boolean;
  freshStarts: number;
}

/**
 * Brings files into the cache: fetches the missing blobs, several parts at a time, checks their hashes, moves them into
 * place and links them into the snapshot. After a failure, the parts that arrived stay for the next attempt. Throws
 * HubFailure.
 */
export async function fetchFiles(
  files: readonly HubFile[],
  folder: RepoFolder,
  context: DownloadContext,
): Promise<void> {
  const { meter, retry } = context;
  const abort = new AbortController();
  const signal = retry.signal ? AbortSignal.any([retry.signal, abort.signal]) : abort.signal;
  // Every request in flight listens to it.
  setMaxListeners(0, signal);
  const jobs: Job[] = [];
  try {
    for (const file of uniqueBlobs(files)) {
      if (folder.has(context.commit, file)) meter.expect(file.size, file.size);
      else jobs.push(await openJob(file, folder, context));
    }
    const worker = async () => {
      for (const job of jobs) await workOn(job, folder, { ...context, retry: { ...retry, signal } });
    };
    const workers = Array.from({ length: CONNECTIONS }, worker);
    try {
      await Promise.all(workers);
    } catch (error) {
      abort.abort();
      await Promise.allSettled(workers);
      throw error;
    }
  } finally {
    await Promise.all(jobs.map(({ partial }) => partial.close()));
  }
  await onDisk(folder.path, () => {
    for (const [index, file] of files.entries()) {
      const again = files.slice(index + 1).some(({ etag }) => etag === file.etag);
      folder.linkIntoSnapshot(context.commit, file, again);
    }
  });
}

/** Two names for the same content are one download. */
export function uniqueBlobs(files: readonly HubFile[]): HubFile[] {
  return [...new Map(files.map(file => [file.etag, file])).values()];
}

async function openJob(file: HubFile, folder: RepoFolder, { meter }: DownloadContext): Promise<Job> {
  const partial = await onDisk(folder.path, () => PartialFile.open(folder.partialPath(file), file.size));
  meter.expect(file.size, partial.done);
  const waiting = partial.segments.filter(({ done, length }) => done < length);
  return { file, partial, waiting, running: 0, settled: false, freshStarts: 0 };
}

/** Takes one segment after another; the worker that finishes the last one completes the file. */
async function workOn(job: Job, folder: RepoFolder, context: DownloadContext): Promise<void> {
  for (;;) {
    const segment = job.waiting.shift();
    if (segment) {
      job.running += 1;
      await downloadSegment(job.file, job.partial, segment, context);
      job.running -= 1;
    } else {
      if (job.running > 0 || job.settled) return;
      job.settled = true;
      context.meter.checking();
      if (await isIntact(job)) return await putInPlace(job, folder);
      await startAnew(job, folder, context);
    }
  }
}

async function isIntact({ file, partial }: Job): Promise<boolean> {
  return (await contentHash(file.etag, file.size, partial.content())) === file.etag;
}

async function putInPlace({ file, partial }: Job, folder: RepoFolder): Promise<void> {
  await onDisk(folder.path, async () => {
    await partial.finish();
    await rename(folder.partialPath(file), folder.blobPath(file.etag));
  });
}

async function startAnew(job: Job, folder: RepoFolder, { meter, environment }: DownloadContext) {
  const { file, partial } = job;
  if (job.freshStarts >= FRESH_STARTS) {
    await rm(folder.partialPath(file), { force: true });
    const kind = file.etag.length === 64 ? 'sha256' : 'git sha1';
    throw new HubFailure(`${file.path} arrived damaged twice: its ${kind} is not ${file.etag}.`, {
      advice: `Something between here and ${environment.endpoint} alters files: a proxy, a mirror or the disk.`,
    });
  }
  job.freshStarts += 1;
  meter.discard(file.size);
  for (const segment of partial.segments) await partial.restart(segment);
  job.waiting.push(...partial.segments);
  job.settled = false;
}
