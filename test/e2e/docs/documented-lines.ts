import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Place, TABLE } from '../../docs/command-table.ts';
import { runLine } from '../../docs/run-line.ts';
import { MAIN, ROOT, workplace } from '../program.ts';

export const GRANITE = join(ROOT, 'test', 'fixtures', 'families', 'granitemoehybrid', 'dense');
/** Replies are short: what is tested is the line. */
const CONFIG = '{ "SystemPrompt": "Be brief.", "sampling": { "temperature": 0, "maxTokens": 8 } }';
export const LIMIT_MS = 600_000;

/** One token a letter. */
export const TOKENIZER = JSON.stringify({
  added_tokens: [],
  model: {
    type: 'BPE',
    vocab: Object.fromEntries(Array.from('?abcdefghijklmnopqrstuvwxyz .:', (letter, id) => [letter, id])),
    merges: [],
    unk_token: '?',
  },
});

/** A folder of its own in which `llm-host` is in the PATH. */
export function placeWithProgram(files: Readonly<Record<string, string>>) {
  const { dir, env } = workplace({ 'config.json': CONFIG, ...files });
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'llm-host'), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
  chmodSync(join(bin, 'llm-host'), 0o755);
  return { cwd: dir, env: { ...env, PATH: `${bin}:${env.PATH}` } };
}

/** Runs the table's lines of a place, `atOnce` at the same time. */
export async function runLines(place: Place, options: { cwd: string; env: NodeJS.ProcessEnv }, atOnce = 1) {
  const waiting = Object.entries(TABLE).flatMap(([line, row]) => {
    const isHere = 'runs' in row && row.runs === place && (!row.linux || process.platform === 'linux');
    return isHere ? [{ ...row, line: row.as ?? line }] : [];
  });
  const worker = async () => {
    for (let row = waiting.shift(); row; row = waiting.shift()) await runLine(row.line, row, options);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
