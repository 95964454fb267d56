import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { demoWeightsPath } from '../../../src/model/demo-model.ts';
import { benchPeers } from '../../fixtures/bench-peers.ts';
import { ollamaStandIn } from '../../fixtures/ollama-stand-in.ts';
import { ROOT, workplace } from '../program.ts';
import { isSetUp } from '../set-up.ts';
import { GRANITE, LIMIT_MS, placeWithProgram, runLines } from './documented-lines.ts';

test('lines that measure, with what takes seconds', { timeout: LIMIT_MS }, async () => {
  const { cwd, env } = placeWithProgram({
    'mcp.json': '{ "servers": {} }',
    'key.txt': 'a-key-of-the-test',
    'short.txt': 'Do not Bodies act upon Light at a distance, and by their action bend its Rays?',
  });
  for (const folder of ['scripts', 'lab']) symlinkSync(join(ROOT, folder), join(cwd, folder));
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
