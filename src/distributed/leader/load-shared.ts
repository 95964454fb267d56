import {
  cacheBytesFor,
  type LoadedParts,
  loadParts,
  loadRead,
  readSource,
} from '../../engine/load-engine.ts';
import type { ModelOptions } from '../../engine/model-options.ts';
import { checkShare } from '../../model/distributed/check-share.ts';
import { type ReadModel, readModel } from '../../model/load-model.ts';
import type { LocalSource } from '../../model/model-source.ts';
import { notAChatModel } from '../../model/not-a-chat-model.ts';
import type { SharedLoading } from '../link/messages.ts';
import { markOf } from '../model-mark.ts';
import { inRing, JOIN_MS } from '../ring.ts';
import { readGroupHosts } from './group-hosts.ts';
import { MachineGroup } from './machine-group.ts';
import { SharedEngine } from './shared-engine.ts';

/** A sum over all machines; longer than a chunk of a prompt takes. A machine that is gone is noticed sooner. */
const LIMIT_MS = 60_000;

export interface SharedBy {
  /** `--hosts FILE`. */
  readonly hosts: string;
  /** This program's version: the others must run the same. */
  readonly version: string;
}

/** Loads a model over the machines of a hosts file, this one first. Throws LlmHostError that names the machine. */
export async function loadShared(
  source: LocalSource,
  { hosts, version }: SharedBy,
  options: ModelOptions,
): Promise<LoadedParts & { readonly titles: readonly string[] }> {
  const cwd = options.cwd ?? process.cwd();
  const groupHosts = readGroupHosts(hosts, cwd);
  const found = await readSource(source, { ...options, group: { limitMs: LIMIT_MS } });
  if (found.encoder) throw notAChatModel(found.name);
  const machines = groupHosts.ring.length;
  const loading = loadingOf(found, machines, options);
  const mark = await markOf(found);
  const group = await MachineGroup.connect(groupHosts, version);
  let loaded: LoadedParts | undefined;
  try {
    await group.compare(source.text, mark, loading);
    const shared = {
      ...options,
      cacheBytes: loading.cacheBytes,
      diskCacheBytes: 0,
      group: { limitMs: LIMIT_MS },
      joinMs: JOIN_MS,
      onStart: group.run.bind(group),
    };
    const parts = await group.load(LIMIT_MS, async () => {
      loaded = await inRing(group.ring, 0, () => loadRead(found, shared));
      return loaded;
    });
    return {
      ...parts,
      engine: new SharedEngine({
        engine: parts.engine,
        group,
        checkAlone: () => void readModel(source, { ...options, cwd, env: options.env ?? process.env }),
        loadAlone: async () => (await loadParts(source, options)).engine,
      }),
      titles: group.titles,
    };
  } catch (error) {
    await loaded?.engine.close();
    await group.close();
    throw error;
  }
}

/** Throws OUT_OF_MEMORY if this machine cannot hold its part. */
function loadingOf(read: ReadModel, machines: number, options: ModelOptions): SharedLoading {
  const { cacheBytes = 0, parallel = 1, adapter } = options;
  const left = checkShare(read, { machines, first: true }, cacheBytes === 'auto' ? 0 : cacheBytes);
  return {
    contextLength: options.contextLength ?? 0,
    kvBits: options.kvBits,
    exact: read.spec.exact === true,
    adapter: adapter === undefined ? undefined : [adapter].flat(),
    quantize: options.quantize,
    cacheBytes: cacheBytes === 'auto' ? cacheBytesFor(read.weightBytes, left) : cacheBytes,
    parallel,
  };
}
