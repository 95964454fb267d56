import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAllowed } from '../lib/build/licences.mjs';

const PACKAGE = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;
const TEXT = /^(licen[cs]e|copying)(\.(md|txt))?$/i;

/**
 * A plugin of vite: writes the licences of all packages whose code is in the bundle, which is distributed, into `fileName`.
 * The build fails for one that may not be passed on so, or without its text.
 * @param {string} fileName
 */
export function bundledLicences(fileName) {
  return {
    name: 'bundled-licences',
    generateBundle(_options, output) {
      const modules = Object.values(output).flatMap(({ modules = {} }) => Object.keys(modules));
      const packages = new Map(
        modules.flatMap(id =>
          [PACKAGE.exec(id.replaceAll('\\', '/'))].filter(Boolean).map(([, dir, name]) => [name, dir]),
        ),
      );
      const texts = [...packages]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, dir]) => licenceOf(name, dir));
      this.emitFile({ type: 'asset', fileName, source: texts.join(`\n${'-'.repeat(80)}\n\n`) });
    },
  };
}

function licenceOf(name, dir) {
  const { version, license } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
  if (!isAllowed(license)) throw new Error(`${name} is in the page and its licence is ${license}`);
  const file = existsSync(dir) && readdirSync(dir).find(entry => TEXT.test(entry));
  if (!file) throw new Error(`${name} is in the page and has no text of its licence`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(dir, file), 'utf8').trim()}\n`;
}
