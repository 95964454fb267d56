import { readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package's root folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Everything that set-up downloads for this checkout. */
export const vendorDir = join(root, 'vendor');
/** The build for Linux on arm64, laid out as in its package, and the record of its sources. */
export const arm64Dir = join(vendorDir, 'arm64');
/** The addon with MLX for CUDA, laid out as in its package. */
export const cudaDir = join(vendorDir, 'cuda');
/** The cross-built addon for macOS, and each build of MLX for it in a folder named after its package. */
export const darwinDir = join(vendorDir, 'darwin');
export const buildDir = join(root, 'build');
export const distDir = join(root, 'dist');
export const addonPath = join(buildDir, 'Release', 'llm_host.node');

/** The wheels that set-up may download, pinned by name, version, platform and sha256. */
export const wheels = JSON.parse(readFileSync(join(root, 'scripts', 'lib', 'wheels.json'), 'utf8'));

/** This program's folder in the user's cache, shared by all checkouts. */
export function cacheDir() {
  const xdg = process.env.XDG_CACHE_HOME;
  return join(xdg && isAbsolute(xdg) ? xdg : join(homedir(), '.cache'), 'llm-host');
}

/** True if `moduleUrl` is the script that Node was started with. */
export function isMain(moduleUrl) {
  return process.argv[1] !== undefined && fileURLToPath(moduleUrl) === realpathSync(process.argv[1]);
}
