import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Imports packages that are installed in another folder than this script's. */
export function installedIn(folder) {
  const { resolve } = createRequire(join(folder, 'package.json'));
  return name => import(pathToFileURL(resolve(name)).href);
}
