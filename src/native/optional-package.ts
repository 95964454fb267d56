import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package's root, two folders up in both src/ and dist/. */
export const PACKAGE_ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Whether the sources are here, so the addon can be built; an installed package has none. */
export const IS_CHECKOUT = existsSync(join(PACKAGE_ROOT, 'native'));

/** The package with the addon and MLX for this kind of machine. */
export const PLATFORM_PACKAGE = `@llm-host/${process.platform}-${process.arch}`;

/** The package with the demo's base weights. */
export const WEIGHTS_PACKAGE = '@llm-host/demo-weights';

const require = createRequire(import.meta.url);

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
