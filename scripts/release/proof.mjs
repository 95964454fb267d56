import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The result of `npm run prove:mac` on one machine.
 * @typedef {object} Proof
 * @property {string} date YYYY-MM-DD
 * @property {string} commit
 * @property {string} platform such as darwin-arm64
 * @property {string} system version of macOS, or of the kernel
 * @property {string} chip
 * @property {number} cores
 * @property {number} memoryGB
 * @property {string} node
 * @property {{ version: string, source?: string, wheel?: string }} mlx
 * @property {readonly { name: string, ok: boolean, seconds: number, error?: string, output?: string, counts?: { passed: number, failed: number, skipped: number } }[]} steps
 */

/** The peers of `bench --compare` that are installed under the cache folder. */
export function installedPeers(cache) {
  const folder = join(cache, 'bench-peers');
  return [
    ...(existsSync(join(folder, 'venv')) ? ['mlx-lm'] : []),
    ...(existsSync(join(folder, 'node_modules', 'node-llama-cpp')) ? ['llama.cpp'] : []),
  ];
}

/**
 * A page for people.
 * @param {Proof} proof
 */
export function proofPage(proof) {
  const rows = proof.steps.map(({ name, ok, seconds, counts }) => {
    const result = counts
      ? `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`
      : '';
    return `| ${name} | ${ok ? 'ok' : '**failed**'} | ${result} | ${seconds} s |`;
  });
  const failures = proof.steps
    .filter(({ ok }) => !ok)
    .map(({ name, error, output = '' }) => `## ${name}\n\n\`\`\`text\n${error}\n${output}\n\`\`\`\n`);
  return [
    `# llm-host on ${proof.chip}`,
    '',
    `${proofLine(proof)}. ${proof.cores} cores, ${proof.memoryGB} GB, Node ${proof.node}, MLX ${proof.mlx.version} ` +
      `(${proof.mlx.wheel ?? proof.mlx.source}), commit ${proof.commit.slice(0, 12)}.`,
    '',
    '| step | result | tests | time |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    ...failures,
  ].join('\n');
}

/**
 * One line, as in README's "What was run where".
 * @param {Proof} proof
 */
export function proofLine({ chip, system, platform, date, steps }) {
  const failed = steps.filter(({ ok }) => !ok).map(({ name }) => name);
  const name = platform.startsWith('darwin') ? `macOS ${system}` : `${platform}, kernel ${system}`;
  const result = failed.length === 0 ? `all ${steps.length} steps passed` : `failed: ${failed.join(', ')}`;
  return `${chip}, ${name}, ${date}: ${result}`;
}

/** The kept proofs of one platform, oldest first. */
export function keptProofs(folder, platform) {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter(name => name.startsWith(`${platform}-`) && name.endsWith('.json'));
  return names.sort().map(name => JSON.parse(readFileSync(join(folder, name), 'utf8')));
}
