import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { demoWeightsPath } from '../../src/model/demo-model.ts';
import { codeBlocks } from '../docs/command-lines.ts';
import { type Place, TABLE } from '../docs/command-table.ts';
import { HubStandIn, repository } from '../fixtures/hub/hub-stand-in.mjs';
import { MAIN, ROOT, runProgram, workplace } from './program.ts';

const GRANITE = join(ROOT, 'test', 'fixtures', 'families', 'granitemoehybrid', 'dense');
/** Replies are short: what is tested is the line. */
const CONFIG = '{ "SystemPrompt": "Be brief.", "sampling": { "temperature": 0, "maxTokens": 8 } }';
const LIMIT_MS = 180_000;

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

/** Runs the table's lines of a place in a shell, one after the other, as they stand there. */
async function runLines(place: Place, options: { cwd: string; env: NodeJS.ProcessEnv }): Promise<void> {
  for (const [line, row] of Object.entries(TABLE)) {
    if (!('runs' in row) || row.runs !== place) continue;
    const child = spawn('sh', ['-c', line], { ...options, detached: true });
    onTestFinished(() => void (child.exitCode === null && process.kill(-(child.pid as number), 'SIGKILL')));
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].on('data', chunk => {
        output[name] += chunk;
      });
    }
    child.stdin.end(row.stdin ?? '');
    const [code] = await once(child, 'close');
    expect({ line, code, ...output }).toMatchObject({ code: 0, stdout: expect.stringMatching(row.shows) });
  }
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
  await runLines('application', { cwd, env });
});

/** As `npm test` leaves it. */
const isSetUp = (): boolean => {
  const script = `import { nativeReady } from './scripts/build-native.mjs';
    import { distReady } from './scripts/lib/typescript-build.mjs';
    process.exitCode = nativeReady() && distReady() ? 0 : 1;`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT }).status === 0;
};

test('lines for the checkout', { timeout: LIMIT_MS }, async ({ skip }) => {
  // Else they would compile for minutes.
  skip(!isSetUp(), 'the checkout is not set up: npm run bootstrap');
  const { dir, env } = workplace();
  const own = { XDG_STATE_HOME: join(dir, 'state'), XDG_CONFIG_HOME: join(dir, 'config') };
  await runLines('checkout', { cwd: ROOT, env: { ...process.env, ...own, TERM: env.TERM } });
});

test("README's example of the library: types, and a run", { timeout: LIMIT_MS }, async () => {
  const [example, ...more] = codeBlocks('ts');
  expect(more).toEqual([]);
  const code = `${example?.text.replace('path/to/model-folder', GRANITE)}`;
  const { dir, env } = workplace({ 'example.mts': code, 'package.json': '{ "type": "module" }' });
  mkdirSync(join(dir, 'node_modules', '@types'), { recursive: true });
  symlinkSync(ROOT, join(dir, 'node_modules', 'llm-host'));
  symlinkSync(join(ROOT, 'node_modules', '@types', 'node'), join(dir, 'node_modules', '@types', 'node'));
  const flags = [
    '--target es2023 --lib es2023,esnext.disposable --module nodenext --types node --strict --skipLibCheck',
  ];
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = { cwd: dir, env };
  const compiled = await runProgram(tsc, [...flags.flatMap(text => text.split(' ')), 'example.mts'], options);
  expect(compiled).toMatchObject({ code: 0, stdout: '' });
  // Without a tokenizer there are ids, but no text.
  expect(await runProgram(join(dir, 'example.mjs'), [], options)).toMatchObject({
    code: 0,
    stdout: '',
    stderr: '',
  });
});
