// The kernels that a GPU launches for a token, this program's and mlx-lm's: the table in docs/evidence/measurements.md.
// Usage: node scripts/measure/launches.mjs [PYTHON]   PYTHON: has mlx-lm; otherwise that of peers/install.mjs
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeWeights } from '../../test/fixtures/make.mjs';
import { cacheDir, root } from '../lib/project.mjs';

process.env.LLM_HOST_DEVICE_POLICY = 'gpu';
const { loadEngine } = await import(join(root, 'dist/engine/load-engine.js'));

async function launches(model, adapter) {
  const engine = await loadEngine(model, { contextLength: 64, exact: false, ...(adapter && { adapter }) });
  const replies = engine.generate({
    promptIds: [5, 6, 7],
    maxTokens: 3,
    ignoreEos: true,
    measureGraph: true,
  });
  while (true) {
    const { done, value } = await replies.next();
    if (!done) continue;
    await engine.close();
    return Object.values(value.graph.launches).reduce((a, b) => a + b, 0);
  }
}

const out = mkdtempSync(join(tmpdir(), 'llm-host-launches-'));
try {
  const [python = join(cacheDir(), 'bench-peers/venv/bin/python')] = process.argv.slice(2);
  makeWeights();
  const families = join(root, 'test/fixtures/families');
  const script = join(root, 'scripts/measure/launches.py');
  const gguf = join(cacheDir(), 'demo/SmolLM2-135M-Instruct.Q4_1.gguf');
  const adapter = join(cacheDir(), 'demo/adapter');
  const demo = existsSync(gguf) ? [gguf, adapter] : [];
  const theirs = JSON.parse(
    execFileSync(python, [script, out, families, ...demo], {
      encoding: 'utf8',
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    }),
  );
  console.log('| model | llm-host | mlx-lm | ratio |\n| --- | --- | --- | --- |');
  for (const [name, peer] of Object.entries(theirs)) {
    const [model, added] = name.replace(/ as .*/, '').split(' + ');
    const own =
      name === 'GGUF' || name === 'demo'
        ? await launches(gguf, name === 'demo' && adapter)
        : await launches(join(out, model), added && join(out, added));
    console.log(`| ${name} | ${own} | ${peer} | ${(own / peer).toFixed(2)} |`);
  }
} finally {
  rmSync(out, { recursive: true });
}
