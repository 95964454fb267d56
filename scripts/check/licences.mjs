import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isAllowed } from '../lib/build/licences.mjs';
import { isMain, root } from '../lib/project.mjs';

/**
 * Packages installed with this one whose licence is not allowed, as `path: licence`. Development packages are ignored,
 * since they are not distributed; those that the page is made of are checked by its build.
 * @param {string} top
 * @returns {string[]}
 */
function licenceBreaches(top) {
  const { packages } = JSON.parse(readFileSync(join(top, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path, locked]) => [path, licenceOf(join(top, path, 'package.json')) ?? locked.license])
    .filter(([, licence]) => !isAllowed(licence))
    .map(([path, licence]) => `${path}: ${licence ?? 'no licence'}`);
}

/** As the installed package says; undefined where it is not installed (another platform's). */
function licenceOf(manifest) {
  if (!existsSync(manifest)) return undefined;
  const { license, licenses } = JSON.parse(readFileSync(manifest, 'utf8'));
  return license?.type ?? license ?? licenses?.map(({ type }) => type).join(' OR ');
}

if (isMain(import.meta.url)) {
  const found = licenceBreaches(process.argv[2] ? resolve(process.argv[2]) : root);
  for (const line of found) console.error(line);
  if (found.length > 0) process.exitCode = 1;
}
