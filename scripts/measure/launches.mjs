// The kernels that a GPU launches for a token, this program's and mlx-lm's: the table in docs/performance.md.
// Usage: node scripts/measure/launches.mjs [PYTHON]   PYTHON: has mlx-lm; otherwise that of peers/install.mjs
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheDir, root } from '../lib/project.mjs';

process.env.LLM_HOST_DEVICE_POLICY = 'gpu';
const { loadEngine } = await import(join(root, 'dist/engine/load-engine.js'));

/** Tiny models of other families: three layers or so each. */
const FAMILIES = [
  'llama/plain',
  'qwen2/tied',
  'qwen3/plain',
  'phi3/plain',
  'gemma3_text/older-keys',
  'granite/tied',
  'smollm3/default',
  'lfm2/plain',
  'granitemoehybrid/hybrid-dense',
  'qwen3_moe/mlx',
  'lfm2_moe/mlx',
  'gpt_oss/mlx',
];

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
  const folders = FAMILIES.map(name => join(root, 'test/fixtures/families', name));
  const script = join(root, 'scripts/measure/launches.py');
  const theirs = JSON.parse(
    execFileSync(
      process.argv[2] ?? join(cacheDir(), 'bench-peers/venv/bin/python'),
      [script, out, ...folders],
      { encoding: 'utf8' },
    ),
  );
  console.log('| model | llm-host | mlx-lm | ratio |\n| --- | --- | --- | --- |');
  for (const [name, peer] of Object.entries(theirs)) {
    const [model, adapter] = name.split(' + ');
    const own = readdirSync(out).includes(model)
      ? await launches(join(out, model), adapter && join(out, adapter))
      : await launches(join(root, 'test/fixtures/families', name.replace(' ', '/')));
    console.log(`| ${name} | ${own} | ${peer} | ${(own / peer).toFixed(2)} |`);
  }
} finally {
  rmSync(out, { recursive: true });
}
