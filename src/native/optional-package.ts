import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { release } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package's root, two folders up in both src/ and dist/. */
export const PACKAGE_ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Whether the sources are here, so the addon can be built; an installed package has none. */
export const IS_CHECKOUT = existsSync(join(PACKAGE_ROOT, 'native'));

/** The packages with the addon and MLX that run on this machine, best first. The last is for all machines of its kind. */
export const PLATFORM_PACKAGES = platformPackages(process.platform, process.arch, release());

/** The package with the demo's base weights. */
export const WEIGHTS_PACKAGE = '@llm-host/demo-weights';

const require = createRequire(import.meta.url);

/** Darwin's version of macOS 26.2, the first that runs MLX's kernels for neural accelerators. */
const NEURAL_ACCELERATORS = [25, 2] as const;

/**
 * @param system version of the operating system's kernel, as os.release() gives it
 */
export function platformPackages(
  platform: string,
  arch: string,
  system: string,
): readonly [string, ...string[]] {
  const general = `@llm-host/${platform}-${arch}`;
  if (platform === 'linux' && arch === 'x64') return [`${general}-cuda`, general];
  if (platform !== 'darwin' || arch !== 'arm64') return [general];
  const [major = 0, minor = 0] = system.split('.').map(Number);
  const [needMajor, needMinor] = NEURAL_ACCELERATORS;
  const isNew = major > needMajor || (major === needMajor && minor >= needMinor);
  return isNew ? [`${general}-macos26`, general] : [general];
}

/** The folder of an optional package of this one, if installed. */
export function optionalPackage(name: string): { folder: string; version: string } | undefined {
  let path: string;
  try {
    path = require.resolve(`${name}/package.json`);
  } catch {
    // Not installed: it is optional.
    return undefined;
  }
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
  return { folder: dirname(path), version };
}
