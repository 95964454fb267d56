import { accessSync, constants, existsSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readJsonObject } from '../text/files/json-file.ts';
import { makeFolder } from '../text/files/make-folder.ts';
import { diskFull, onDisk } from './disk-failure.ts';
import { fetchFiles, uniqueBlobs } from './fetch-files.ts';
import { withFileLock } from './file-lock.ts';
import { HttpClient } from './http-client.ts';
import { type HubFile, listRepository } from './hub-api.ts';
import { type HubEnvironment, hubEnvironment } from './hub-environment.ts';
import { HubFailure, modelNotFound } from './hub-failure.ts';
import type { HubId } from './hub-id.ts';
import { INDEX, textFiles, weightFiles } from './needed-files.ts';
import { RepoFolder } from './repo-folder.ts';
import type { DownloadContext } from './segment-download.ts';
import { absentPath, missingFiles } from './snapshot-state.ts';
import { type DownloadProgress, TransferMeter } from './transfer-meter.ts';

export interface PullOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
  /** Another process is downloading the same model; its id if known. */
  readonly onWait?: ((pid: number | undefined) => void) | undefined;
  /** Checks the configuration before any weights are fetched; throwing ends the download. */
  readonly checkTexts?: ((snapshot: string) => void) | undefined;
  /** Milliseconds before a second attempt. */
  readonly firstWaitMs?: number | undefined;
}

export interface PulledModel {
  /** The snapshot's path. */
  readonly folder: string;
  readonly commit: string;
  /** Bytes of its files, and of them those received over the network; 0 if nothing was missing. */
  readonly totalBytes: number;
  readonly receivedBytes: number;
}

const FIRST_WAIT_MS = 500;
/** For metadata, where somebody waits for the answer; and for files. */
const ANSWER_RETRIES = 3;
const FILE_RETRIES = 6;
/** Bytes left free for other programs. */
const RESERVE = 16 * 1024 * 1024;

/**
 * Brings a model of the Hub into the cache, at the commit its revision points to now, and resolves with its place. Fetches
 * only what is missing and resumes partial files. Offline, a complete copy is enough. Throws LlmHostError MODEL_NOT_FOUND
 * with the reason as its hint, MODEL_BROKEN, MODEL_UNSUPPORTED or CONFIG.
 */
export async function pullModel(id: HubId, options: PullOptions): Promise<PulledModel> {
  const environment = hubEnvironment(options.env);
  const folder = new RepoFolder(environment.cacheFolder, id.repo);
  if (environment.offline) return cachedModel(id, folder);
  const client = new HttpClient(environment);
  try {
    return await pull(id, folder, client, environment, options);
  } catch (error) {
    if (!(error instanceof HubFailure)) throw error;
    throw modelNotFound(id.source, [error.message, error.advice].filter(Boolean).join('\n'), error);
  } finally {
    client.close();
  }
}

function cachedModel(id: HubId, folder: RepoFolder): PulledModel {
  const snapshot = folder.findSnapshot(id.revision);
  const missing = snapshot === undefined ? [] : missingFiles(snapshot);
  if (snapshot !== undefined && missing.length === 0) {
    return {
      folder: snapshot,
      commit: folder.readRef(id.revision) as string,
      totalBytes: 0,
      receivedBytes: 0,
    };
  }
  const what = snapshot
    ? `only part of it is in the cache (${missing[0]} is missing)`
    : 'it is not in the cache';
  throw modelNotFound(
    id.source,
    `HF_HUB_OFFLINE is set, and ${what}: ${folder.path}\nUnset HF_HUB_OFFLINE to download it.`,
  );
}

async function pull(
  id: HubId,
  folder: RepoFolder,
  client: HttpClient,
  environment: HubEnvironment,
  options: PullOptions,
): Promise<PulledModel> {
  const { signal, onWait } = options;
  const retry = { firstWaitMs: options.firstWaitMs ?? FIRST_WAIT_MS, signal };
  const { commit, files } = await listRepository(id, client, environment, {
    ...retry,
    retries: ANSWER_RETRIES,
  });
  const snapshot = folder.snapshotPath(commit);
  const result = { folder: snapshot, commit, totalBytes: 0, receivedBytes: 0 };
  // A complete model needs no lock and no write, so a read-only cache works.
  if (folder.readRef(id.revision) === commit && isComplete(id, folder, commit, files)) return result;
  const meter = new TransferMeter(options.onProgress);
  const context: DownloadContext = {
    id,
    commit,
    client,
    environment,
    meter,
    retry: { ...retry, retries: FILE_RETRIES },
  };
  await onDisk(environment.cacheFolder, () => {
    checkWritable(environment.cacheFolder);
    return withFileLock(folder.lockPath, { signal, onWait }, () => fetchAll(files, folder, context, options));
  });
  return { ...result, totalBytes: meter.total, receivedBytes: meter.received };
}

function isComplete(id: HubId, folder: RepoFolder, commit: string, files: readonly HubFile[]): boolean {
  const here = (file: HubFile) => folder.hasInSnapshot(commit, file);
  if (!textFiles(files).every(here)) return false;
  return weightFiles(id.source, files, readIndex(folder.snapshotPath(commit))).every(here);
}

async function fetchAll(
  files: readonly HubFile[],
  folder: RepoFolder,
  context: DownloadContext,
  { checkTexts }: PullOptions,
): Promise<void> {
  const { id, commit, environment } = context;
  const snapshot = folder.snapshotPath(commit);
  folder.prepare();
  markCache(environment.cacheFolder);
  const texts = textFiles(files);
  checkRoom(texts, folder, commit);
  await fetchFiles(texts, folder, context);
  checkTexts?.(snapshot);
  const weights = weightFiles(id.source, files, readIndex(snapshot));
  checkRoom(weights, folder, commit);
  await fetchFiles(weights, folder, context);
  noteAbsent(snapshot, files);
  // Last: a revision must never point to an unfinished snapshot.
  folder.writeRef(id.revision, commit);
}

const readIndex = (snapshot: string): unknown => readJsonObject(join(snapshot, INDEX));

/** On a read-only file system Node's mkdir fails with a misleading error. */
function checkWritable(folder: string): void {
  if (existsSync(folder) || dirname(folder) === folder) accessSync(folder, constants.W_OK);
  else checkWritable(dirname(folder));
}

/** Refuses a download that cannot fit on the disk. */
function checkRoom(files: readonly HubFile[], folder: RepoFolder, commit: string): void {
  const needed = uniqueBlobs(files).reduce((sum, file) => sum + folder.missingBytes(commit, file), 0);
  const { bavail, bsize, blocks } = statfsSync(folder.path);
  const free = bavail * bsize;
  // Some network file systems do not report their size.
  if (needed === 0 || blocks === 0 || needed + RESERVE <= free) return;
  throw diskFull(`${folder.path} needs ${megabytes(needed)} more, and ${megabytes(free)} are free`);
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;

/** Marks the folder as a cache for backup programs. */
function markCache(cacheFolder: string): void {
  const path = join(cacheFolder, 'CACHEDIR.TAG');
  if (!existsSync(path)) writeFileSync(path, 'Signature: 8a477f597d28d172789f06886806bc55\n');
}

/** Notes the files the repository lacks, so they are not asked for again: a model without a tokenizer is complete. */
function noteAbsent(snapshot: string, files: readonly HubFile[]): void {
  if (files.some(({ path }) => path === 'tokenizer.json')) return;
  const path = absentPath(snapshot, 'tokenizer.json');
  makeFolder(dirname(path));
  writeFileSync(path, '');
}
