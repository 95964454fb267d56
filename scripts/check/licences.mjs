import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isMain, root } from '../lib/project.mjs';

/** Licences that ask for no more than to be named, so that the program can be passed on under its own. */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
];

/**
 * Packages installed with this one whose licence is not allowed, as `path: licence`. Development packages are ignored,
 * since they are not distributed.
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

/** An SPDX expression: of alternatives one is enough, of parts all are needed. */
function isAllowed(expression = '') {
  const alternatives = expression.replace(/[()]/g, '').split(' OR ');
  return alternatives.some(parts => parts.split(' AND ').every(name => ALLOWED.includes(name.trim())));
}

if (isMain(import.meta.url)) {
  const found = licenceBreaches(process.argv[2] ? resolve(process.argv[2]) : root);
  for (const line of found) console.error(line);
  if (found.length > 0) process.exitCode = 1;
}
