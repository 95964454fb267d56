// The fast checks, side by side. Usage: npm run check
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { isMain } from './lib/project.mjs';
import { runMain } from './lib/setup-error.mjs';
import { showCommand } from './lib/show-command.mjs';

const bin = name => join('node_modules', name);

/** Arguments of node by the check's name; the longest first. */
const CHECKS = {
  types: [bin('typescript/bin/tsc'), '-p', 'tsconfig.json', '--noEmit'],
  package: ['scripts/check/package.mjs'],
  biome: [bin('@biomejs/biome/bin/biome'), 'check', '.'],
  format: ['scripts/check/format.mjs'],
  page: [bin('typescript/bin/tsc'), '-p', 'web', '--noEmit'],
  unused: [bin('knip/bin/knip.js'), '--no-progress'],
  layers: ['scripts/check/layers.mjs'],
  words: ['scripts/check/words.mjs'],
  library: ['scripts/check/public-types.mjs'],
  licences: ['scripts/check/licences.mjs'],
};

/** @returns {Promise<string[]>} the names of those that failed */
export async function runChecks() {
  const waiting = Object.entries(CHECKS);
  const failed = [];
  const runner = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const [name, args] = check;
      const ok = await showCommand(process.execPath, args, {}, { later: true });
      console.log(`${ok ? 'ok' : 'FAILED'}  ${name}`);
      if (!ok) failed.push(name);
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, runner));
  return failed;
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    if ((await runChecks()).length > 0) process.exitCode = 1;
  });
}
