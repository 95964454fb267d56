// Scores the same answers with our scorer and with the checker of the wheel bfcl-eval, and compares case by case.
//   node scripts/measure/bfcl/same-scores.mjs [report.json ...] [--count 1000]
// report.json: from `llm-host bench <model> --tools --json`; its answers come first, then changed right ones up to the count
// (all the reports' answers if they are more). Exit 1 if a score differs.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BFCL_CATEGORIES } from '../../../dist/bench/tools/bfcl/categories.js';
import { readBfcl } from '../../../dist/bench/tools/bfcl/read-bfcl.js';
import { Float } from '../../../dist/bench/tools/cases/typed-values.js';
import { answerFault } from '../../../dist/bench/tools/score/score-calls.js';
import { changedCalls } from './changed-calls.mjs';
import { dataFolder, wheelFolder } from './unpacked.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string', default: '1000' } },
});
const wheel = await wheelFolder();
const folder = await dataFolder();
const cases = Object.keys(BFCL_CATEGORIES).flatMap(category => readBfcl(folder, category));
const byId = new Map(cases.map(one => [one.id, one]));

const answered = positionals.flatMap(path => JSON.parse(readFileSync(path, 'utf8')).results);
const made = answered.map(({ id, calls }) => ({ one: byId.get(id), calls, from: 'model' }));
const step = 997;
for (let index = 0; made.length < Number(values.count); index++) {
  const one = cases[(index * step) % cases.length];
  made.push({ one, calls: changedCalls(one, index, Float), from: 'changed' });
}

const input = made
  .map(({ one, calls }) => JSON.stringify({ id: one.id, category: one.category, calls }))
  .join('\n');
const script = fileURLToPath(new URL('wheel-scores.py', import.meta.url));
const options = { input, encoding: 'utf8', maxBuffer: 2 ** 30 };
const { status, stdout, stderr } = spawnSync(process.env.PYTHON || 'python3', [script, wheel], options);
if (status !== 0) throw new Error(`${script} failed:\n${stderr}`);
const theirs = stdout
  .trim()
  .split('\n')
  .map(line => JSON.parse(line));

const counts = new Map();
let different = 0;
for (const [index, { one, calls, from }] of made.entries()) {
  const ours = answerFault(calls, one.expected);
  const { valid, error } = theirs[index];
  const same = valid === (ours === undefined);
  const key = `| ${from} | ${ours ?? 'right'} | ${valid ? 'valid' : error} |`;
  counts.set(key, (counts.get(key) ?? 0) + 1);
  if (same) continue;
  different++;
  console.log(
    `${one.id}: ours ${ours ?? 'right'}, the wheel's ${valid ? 'valid' : error}: ${JSON.stringify(calls)}`,
  );
}
console.log('| answers | ours | the wheel | cases |\n| --- | --- | --- | --- |');
for (const [key, count] of [...counts].sort()) console.log(`${key} ${count} |`);
console.log(`\n${made.length} answers, ${answered.length} of models: ${different} scored differently`);
process.exitCode = different > 0 ? 1 : 0;
