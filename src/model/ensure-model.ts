import { join } from 'node:path';
import { hubCacheFolder } from '../hub/hub-environment.ts';
import type { HubId } from '../hub/hub-id.ts';
import type { PullOptions } from '../hub/pull-model.ts';
import { RepoFolder } from '../hub/repo-folder.ts';
import { missingFiles } from '../hub/snapshot-state.ts';
import { readJsonObject } from '../text/files/json-file.ts';
import type { LocateOptions, ModelSource } from './model-source.ts';
import { textPart } from './text-part.ts';
import { quantizationOf } from './weights/quantization.ts';

export type EnsureOptions = LocateOptions & Pick<PullOptions, 'signal' | 'onProgress' | 'onWait'>;

/**
 * Downloads a model of the Hub that is missing from the cache or incomplete. A complete copy is used without asking the
 * Hub; any other kind of source is ignored. Throws as `pullModel` does.
 */
export async function ensureModel(source: ModelSource, options: EnsureOptions): Promise<void> {
  if (source.kind !== 'hub' || isComplete(source.id, options.env)) return;
  const { id } = source;
  // A complete model needs no network.
  const { pullModel } = await import('../hub/pull-model.ts');
  await pullModel(id, { ...options, checkTexts: folder => checkConfig(id.repo, folder) });
}

/** Whether the cache has all of a model's files. */
export function isComplete({ repo, revision }: HubId, env: NodeJS.ProcessEnv): boolean {
  const snapshot = new RepoFolder(hubCacheFolder(env), repo).findSnapshot(revision);
  return snapshot !== undefined && missingFiles(snapshot).length === 0;
}

/** Refuses an unsupported family or quantization before gigabytes are fetched. */
function checkConfig(name: string, snapshot: string): void {
  const config = readJsonObject(join(snapshot, 'config.json'));
  if (!config) return;
  textPart(name, config, { files: [], tensors: [] });
  quantizationOf(name, config);
}
