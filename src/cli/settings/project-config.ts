import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { LlmHostError } from '../../errors.ts';
import type { HubId } from '../../hub/hub-id.ts';
import { isComplete } from '../../model/ensure-model.ts';
import { isLoopback } from '../../serve/http/access/access.ts';
import { quoted } from '../../text/clean/visible.ts';
import type { AppConfig } from './config-file.ts';

/** Fields that only the user may decide, and the values that are harmless from a stranger, in a file of `folder`. */
const DECISIONS: readonly {
  readonly section: 'tools' | 'logging' | 'ollama';
  readonly key: string;
  readonly harmless: (value: unknown, folder: string) => boolean;
}[] = [
  // Nothing that deletes or overwrites would be asked about.
  { section: 'tools', key: 'approval', harmless: value => value !== 'auto' },
  { section: 'tools', key: 'audit', harmless: value => value !== false },
  // These are appended to, whatever they are: a shell's start-up file.
  { section: 'tools', key: 'metricsFile', harmless: isInside },
  { section: 'logging', key: 'file', harmless: isInside },
  // It gets the whole conversation.
  { section: 'ollama', key: 'base_url', harmless: value => isLoopback(new URL(String(value)).hostname) },
];

/**
 * The config.json of a working directory, written by whoever made the project: without what would drop questions and records,
 * write outside the directory, or send the conversation to another machine; and a notice of that.
 */
export function withoutDecisions(
  config: AppConfig,
  path: string,
): { config: AppConfig; notices: readonly string[] } {
  const folder = dirname(path);
  let harmless = config;
  const dropped: string[] = [];
  for (const { section, key, harmless: isHarmless } of DECISIONS) {
    const { [key]: value, ...rest }: Record<string, unknown> = { ...harmless[section] };
    if (value === undefined || isHarmless(value, folder)) continue;
    harmless = { ...harmless, [section]: rest };
    dropped.push(`${section}.${key}`);
  }
  if (dropped.length === 0) return { config, notices: [] };
  const what = dropped.join(', ');
  const fix = `to use ${dropped.length === 1 ? 'it' : 'them'}, name the file: --config ${basename(path)}`;
  return {
    config: harmless,
    notices: [
      `${path} came with the working directory, so ${what} in it ${dropped.length === 1 ? 'is' : 'are'} left out; ${fix}`,
    ],
  };
}

/**
 * Refuses to download what only a project's config.json names, by its `key`; what is on this machine may be used.
 * Throws LlmHostError CONFIG.
 */
export function refuseDownload(path: string, key: string, id: HubId, env: NodeJS.ProcessEnv): void {
  if (isComplete(id, env)) return;
  throw new LlmHostError(
    'CONFIG',
    `${basename(path)} came with the working directory, and its ${key} ${quoted(id.source)} is not on this machine`,
    {
      hint: `Nothing was downloaded. If you want it: llm-host pull ${id.source}\nOr name the file: --config ${basename(path)}\nThe file is ${path}.`,
    },
  );
}

function isInside(file: unknown, folder: string): boolean {
  const real = realPath(resolve(folder, String(file)));
  if (real === undefined) return false;
  const inner = relative(realpathSync(folder), real);
  return inner !== '' && !isAbsolute(inner) && inner.split(sep)[0] !== '..';
}

/** Where a path leads that need not exist yet; undefined: through a link to nothing, which would be made there. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) return undefined;
  }
  const parent = dirname(path);
  const real = parent === path ? path : realPath(parent);
  return real === undefined ? undefined : join(real, basename(path));
}
