import { join } from 'node:path';
import { hubCacheFolder } from '../hub/hub-environment.ts';
import type { HubId } from '../hub/hub-id.ts';
import type { PullOptions } from '../hub/pull-model.ts';
import { RepoFolder } from '../hub/repo-folder.ts';
import { missingFiles } from '../hub/snapshot-state.ts';
import { readJsonObject } from '../text/files/json-file.ts';
import { hubIdOf, type LocateOptions } from './locate.ts';
import { textPart } from './text-part.ts';
import { quantizationOf } from './weights/quantization.ts';

export type EnsureOptions = LocateOptions & Pick<PullOptions, 'signal' | 'onProgress' | 'onWait'>;

/**
 * Downloads a Hub id that is missing from the cache or incomplete. A complete copy is used without asking the Hub; any
 * other kind of source is ignored. Throws as `pullModel` does.
 */
export async function ensureModel(source: string, options: EnsureOptions): Promise<void> {
  const id = idToDownload(source, options);
  if (!id) return;
  // A complete model needs no network.
  const { pullModel } = await import('../hub/pull-model.ts');
  await pullModel(id, { ...options, checkTexts: folder => checkConfig(id.repo, folder) });
}

/** The Hub id of a source of which something has to be downloaded before it can be used; undefined: nothing has. */
export function idToDownload(source: string, options: LocateOptions): HubId | undefined {
  const id = hubIdOf(source, options);
  if (!id) return undefined;
  const folder = new RepoFolder(hubCacheFolder(options.env), id.repo);
  const snapshot = folder.findSnapshot(id.revision);
  return snapshot !== undefined && missingFiles(snapshot).length === 0 ? undefined : id;
}

/** Refuses an unsupported family or quantization before gigabytes are fetched. */
function checkConfig(name: string, snapshot: string): void {
  const config = readJsonObject(join(snapshot, 'config.json'));
  if (!config) return;
  textPart(name, config, { files: [], tensors: [] });
  quantizationOf(name, config);
}
