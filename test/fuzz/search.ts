import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { it } from 'vitest';
import { fuzz, saveCorpus, shareOf, smallest } from './harness/fuzz.ts';
import { TARGETS } from './targets/table.ts';

/**
 * The long search: `npm run fuzz -- TARGET...`, with FUZZ_INPUTS (default 1,000,000), FUZZ_SECONDS (at most so long for
 * each target; default: no limit), FUZZ_SEED (default: the time), and FUZZ_SAVE=1 to keep the few inputs that reach new
 * code in the corpus. How far each came is in build/fuzz/progress all the while.
 */
const count = Number(process.env.FUZZ_INPUTS ?? 1_000_000);
const limitMs = Number(process.env.FUZZ_SECONDS ?? Number.POSITIVE_INFINITY) * 1000;
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
const PROGRESS = fileURLToPath(new URL('../../build/fuzz/progress/', import.meta.url));
mkdirSync(PROGRESS, { recursive: true });
const names = (process.env.FUZZ_TARGETS ?? '').split(',').filter(Boolean);

for (const target of TARGETS.filter(({ name }) => names.length === 0 || names.includes(name))) {
  it(`${target.name}: ${count} inputs from seed ${seed}`, async () => {
    const begun = performance.now();
    const cpuBefore = process.cpuUsage();
    const result = await fuzz(target, count, seed, limitMs, (inputs, blocks) => {
      const seconds = Math.round((performance.now() - begun) / 1000);
      writeFileSync(join(PROGRESS, `${target.name}.json`), JSON.stringify({ inputs, blocks, seconds, seed }));
    });
    const seconds = (performance.now() - begun) / 1000;
    const cpu = process.cpuUsage(cpuBefore);
    const cpuSeconds = (cpu.user + cpu.system) / 1e6;
    const share = await shareOf(target, result.found);
    const kept = process.env.FUZZ_SAVE === '1' ? await smallest(target, result.found) : [];
    saveCorpus(target, kept);
    process.stdout.write(
      `| ${target.name} | ${result.inputs} | ${seconds.toFixed(0)} s, ${cpuSeconds.toFixed(0)} s of CPU | ` +
        `${result.refused} | ${result.seedBlocks} -> ${result.blocks} | ${(100 * share).toFixed(0)} % | ${kept.length} |\n`,
    );
  });
}
