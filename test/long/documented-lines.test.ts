import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { TABLE } from '../docs/command-table.ts';
import { runLine } from '../docs/run-line.ts';
import { ollamaStandIn } from '../fixtures/ollama-stand-in.ts';
import { makeCopy, makePlace, ownEnvironment, setUp } from './copy.ts';
import { registry } from './registry.ts';

/** Where the copy is kept, so that another run need not set it up again; else it is removed at the end. */
const kept = process.env.LLM_HOST_LONG_FOLDER;
const top = kept ?? mkdtempSync(join(tmpdir(), 'llm-host-long-'));
const copy = join(top, 'checkout');
const place = join(top, 'place');
const installed = join(top, 'installed');

const LINES = Object.entries(TABLE).flatMap(([line, row]) =>
  'long' in row && row.long ? [{ line, row }] : [],
);
/** Lines that install what was packed. */
const FROM_PACKAGES = /^(npm install|npx) llm-host /;
const OLLAMA_PORT = 11_434;
/** The end of what a line shows is for people to read: figures above all. */
const SHOWN_CHARS = 6000;

beforeAll(() => makeCopy(copy));
afterAll(() => {
  if (kept === undefined) rmSync(top, { recursive: true, force: true });
});

/** An empty folder, and a registry that has what this machine can pack. */
async function emptyFolder() {
  const packages = join(copy, 'build', 'packages');
  const env = ownEnvironment();
  const names = ['llm-host', 'demo-weights', `${process.platform}-${process.arch}`];
  const packing = ['run', 'pack:all', '--', ...names];
  if (!existsSync(packages)) execFileSync('npm', packing, { cwd: copy, env, stdio: 'inherit' });
  const behind = execFileSync('npm', ['config', 'get', 'registry'], { env, encoding: 'utf8' }).trim();
  const own = await registry(packages, behind.replace(/\/?$/, '/'));
  onTestFinished(() => own.close());
  if (!existsSync(installed)) {
    mkdirSync(installed);
    writeFileSync(join(installed, 'package.json'), '{ "private": true }\n');
  }
  const settings = { npm_config_registry: new URL(own.url).origin, npm_config_cache: join(top, 'npm-cache') };
  return { cwd: installed, env: { ...env, ...settings, XDG_STATE_HOME: join(top, 'state') } };
}

async function placeOf(line: string) {
  if (line === 'npm ci') return { cwd: copy, env: ownEnvironment() };
  if (line !== 'npm run bootstrap') setUp(copy);
  if (FROM_PACKAGES.test(line)) return emptyFolder();
  if (line.startsWith('npm ')) return { cwd: copy, env: ownEnvironment() };
  if (line.includes('ollama')) {
    const ollama = await ollamaStandIn(OLLAMA_PORT);
    onTestFinished(() => ollama.close());
  }
  return { cwd: place, env: makePlace(copy, place) };
}

// By its whole text, so that one of them can be chosen with -t.
for (const { line, row } of LINES) {
  test(line, async () => {
    const shown = await runLine(line, row, await placeOf(line));
    console.log(shown.slice(-SHOWN_CHARS));
  });
}

test('the examples of docs/serve.md, those in Python too', async () => {
  setUp(copy);
  const options = { cwd: copy, env: ownEnvironment(), encoding: 'utf8' } as const;
  execFileSync(process.execPath, ['scripts/check/program/serve-clients.mjs'], {
    ...options,
    stdio: 'ignore',
  });
  const report = join(top, 'serve-docs.json');
  const reporter = ['--reporter=json', `--outputFile=${report}`];
  execFileSync('npx', ['vitest', 'run', 'test/e2e/smoke/serve-docs.test.ts', ...reporter], options);
  expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({ success: true, numPendingTests: 0 });
});
