import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { demoWeightsPath } from '../../src/model/demo-model.ts';
import { codeBlocks } from '../docs/command-lines.ts';
import { type Place, TABLE } from '../docs/command-table.ts';
import { runLine } from '../docs/run-line.ts';
import { benchPeers } from '../fixtures/bench-peers.ts';
import { HubStandIn, repository } from '../fixtures/hub/hub-stand-in.mjs';
import { ollamaStandIn } from '../fixtures/ollama-stand-in.ts';
import { MAIN, ROOT, workplace } from './program.ts';
import { isSetUp } from './set-up.ts';

const GRANITE = join(ROOT, 'test', 'fixtures', 'families', 'granitemoehybrid', 'dense');
/** Replies are short: what is tested is the line. */
const CONFIG = '{ "SystemPrompt": "Be brief.", "sampling": { "temperature": 0, "maxTokens": 8 } }';
const LIMIT_MS = 600_000;

/** One token a letter. */
const TOKENIZER = JSON.stringify({
  added_tokens: [],
  model: {
    type: 'BPE',
    vocab: Object.fromEntries(Array.from('?abcdefghijklmnopqrstuvwxyz .:', (letter, id) => [letter, id])),
    merges: [],
    unk_token: '?',
  },
});

const filesOf = (folder: string): Record<string, Buffer> =>
  Object.fromEntries(readdirSync(folder).map(name => [name, readFileSync(join(folder, name))]));

/** A folder of its own in which `llm-host` is in the PATH. */
function placeWithProgram(files: Readonly<Record<string, string>>) {
  const { dir, env } = workplace({ 'config.json': CONFIG, ...files });
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'llm-host'), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
  chmodSync(join(bin, 'llm-host'), 0o755);
  return { cwd: dir, env: { ...env, PATH: `${bin}:${env.PATH}` } };
}

/** Runs the table's lines of a place, `atOnce` at the same time. */
async function runLines(place: Place, options: { cwd: string; env: NodeJS.ProcessEnv }, atOnce = 1) {
  const waiting = Object.entries(TABLE).flatMap(([line, row]) => {
    const isHere = 'runs' in row && row.runs === place && (!row.linux || process.platform === 'linux');
    return isHere ? [{ ...row, line: row.as ?? line }] : [];
  });
  const worker = async () => {
    for (let row = waiting.shift(); row; row = waiting.shift()) await runLine(row.line, row, options);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

test('lines about models of the Hub, with a stand-in of it', { timeout: LIMIT_MS }, async () => {
  const files = filesOf(GRANITE);
  const model = repository({ ...files, 'tokenizer.json': TOKENIZER }, { refs: ['main', 'v1'] });
  const hub = await HubStandIn.start({ 'ibm-granite/granite-4.0-1b': model });
  onTestFinished(() => hub.close());
  const { cwd, env } = placeWithProgram({ 'mcp.json': '{ "servers": {} }' });
  const cache = join(cwd, 'hub');
  await runLines('hub', { cwd, env: { ...env, HF_ENDPOINT: hub.endpoint, HF_HUB_CACHE: cache } });
  expect(hub.sent['model.safetensors']).toBe(files['model.safetensors']?.length);
  expect(readdirSync(cache).filter(name => name.startsWith('models--'))).toEqual([]);
});

test("lines about one's own models and servers", { timeout: LIMIT_MS }, async () => {
  const { cwd, env } = placeWithProgram({});
  symlinkSync(join(ROOT, 'dist'), join(cwd, 'dist'));
  const folder = join(cwd, 'path', 'to', 'model-folder');
  cpSync(GRANITE, folder, { recursive: true });
  writeFileSync(join(folder, 'tokenizer.json'), TOKENIZER);
  symlinkSync(demoWeightsPath(env), join(cwd, 'path', 'to', 'model.gguf'));
  writeFileSync(join(cwd, 'file.json'), '{ "const": true }');
  const hosts = codeBlocks('json').find(({ page }) => page === 'docs/distributed.md');
  writeFileSync(join(cwd, 'hosts.json'), hosts?.text ?? '');
  await runLines('application', { cwd, env });
});

test('lines that measure, with what takes seconds', { timeout: LIMIT_MS }, async () => {
  const { cwd, env } = placeWithProgram({
    'mcp.json': '{ "servers": {} }',
    'key.txt': 'a-key-of-the-test',
    'short.txt': 'Do not Bodies act upon Light at a distance, and by their action bend its Rays?',
  });
  symlinkSync(join(ROOT, 'scripts'), join(cwd, 'scripts'));
  symlinkSync(demoWeightsPath(env), join(cwd, 'model.gguf'));
  symlinkSync(GRANITE, join(cwd, 'folder'));
  symlinkSync(join(ROOT, 'test', 'fixtures', 'tool-questions'), join(cwd, 'questions'));
  const ollama = await ollamaStandIn();
  onTestFinished(() => ollama.close());
  const own = {
    TMPDIR: cwd,
    OLLAMA: new URL(ollama.url).origin,
    LLM_HOST_BENCH_PEERS: benchPeers(join(cwd, 'peers')),
  };
  await runLines('measuring', { cwd, env: { ...env, ...own } }, 2);
  expect(JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')).engines).toHaveLength(1);
});

test('lines for the checkout', { timeout: LIMIT_MS }, async ({ skip }) => {
  skip(!isSetUp(), 'the checkout is not set up: npm run bootstrap');
  const { dir, env } = workplace();
  const own = { TMPDIR: dir, XDG_STATE_HOME: join(dir, 'state'), XDG_CONFIG_HOME: join(dir, 'config') };
  await runLines('checkout', { cwd: ROOT, env: { ...process.env, ...own, TERM: env.TERM } });
});
