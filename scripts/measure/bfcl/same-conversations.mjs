// Scores the same conversations by our rules and with the checker of the wheel bfcl-eval, and compares case by case; also the
// texts of all results.
//   node scripts/measure/bfcl/same-conversations.mjs [report.json ...] [--count 1500]
// report.json: from `llm-host bench <model> --tools --categories multi_turn_base --json`; its answers come first, then all right
// ones and changed ones up to the count. Needs the Python package mpmath. Exit 1 if a score or a text differs.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { dataFolder, wheelFolder } from './unpacked.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string', default: '1500' } },
});
const answered = positionals
  .flatMap(path => JSON.parse(readFileSync(path, 'utf8')).results)
  .filter(({ turns, error }) => turns !== undefined && error === undefined);
const input = answered.map(({ id, turns }) => JSON.stringify({ id, turns })).join('\n');
const script = fileURLToPath(new URL('same_conversations.py', import.meta.url));
const args = ['-B', script, await dataFolder(true), await wheelFolder(), values.count];
const { status } = spawnSync(process.env.PYTHON || 'python3', args, {
  input,
  stdio: ['pipe', 'inherit', 'inherit'],
});
process.exitCode = status ?? 1;
