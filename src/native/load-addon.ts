import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { LlmHostError, messageOf } from '../errors.ts';
import type { NativeAddon } from './addon-types.ts';
import { describeFailures, type LoadFailure, loadHint } from './load-hint.ts';
import { IS_CHECKOUT, optionalPackage, PACKAGE_ROOT, PLATFORM_PACKAGES } from './optional-package.ts';

const require = createRequire(import.meta.url);

let loaded: NativeAddon | undefined;
let passedOver: readonly LoadFailure[] = [];

/**
 * Loads the native addon once; later calls return the same object. $LLM_HOST_ADDON, if set, is the only file tried. The
 * addon's model thread is joined when the process exits.
 * @throws LlmHostError ENGINE_UNAVAILABLE listing each path tried with its reason; the hint is the fix.
 */
export function loadAddon(): NativeAddon {
  loaded ??= loadFirst(addonCandidates());
  return loaded;
}

/** Why better builds than the loaded one did not load, with the fix: one notice, or none. Known after `loadAddon`. */
export function addonNotices(): readonly string[] {
  return passedOver.length === 0 ? [] : [describeFailures(passedOver)];
}

/** The files to try, in order: the platform's packages, best first, then a local build. */
export function addonCandidates(): readonly string[] {
  const named = process.env.LLM_HOST_ADDON;
  if (named) return [resolve(named)];
  const place = join('build', 'Release', 'llm_host.node');
  const installed = PLATFORM_PACKAGES.flatMap(name => optionalPackage(name)?.folder ?? []);
  const folders = [...installed, ...(IS_CHECKOUT || installed.length === 0 ? [PACKAGE_ROOT] : [])];
  return folders.map(folder => join(folder, place));
}

function loadFirst(paths: readonly string[]): NativeAddon {
  const failures: LoadFailure[] = [];
  for (const path of paths) {
    try {
      const addon = loadFile(path);
      // Exiting while the model thread is inside MLX crashes. The end of a worker is not the end of the process.
      if (isMainThread) process.on('exit', () => addon.shutdown());
      passedOver = failures;
      return addon;
    } catch (error) {
      failures.push({ path, reason: messageOf(error) });
    }
  }
  const tried = failures.map(({ path, reason }) => `  ${path}: ${reason}`);
  throw new LlmHostError(
    'ENGINE_UNAVAILABLE',
    ['the native engine could not be loaded. Tried:', ...tried].join('\n'),
    {
      hint: loadHint(failures),
    },
  );
}

function loadFile(path: string): NativeAddon {
  if (!existsSync(path)) throw new Error('no such file');
  const addon: Partial<NativeAddon> = require(path);
  const { mlxBuilt, mlxLoaded } = addon.versions ?? {};
  if (mlxBuilt === undefined || mlxLoaded === undefined || typeof addon.shutdown !== 'function') {
    throw new Error('not the addon of llm-host');
  }
  if (mlxBuilt !== mlxLoaded) throw new Error(`built for MLX ${mlxBuilt}, but the MLX found is ${mlxLoaded}`);
  return addon as NativeAddon;
}
