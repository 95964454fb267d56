// Texts a second of all-MiniLM-L6-v2, beside torch and onnxruntime on the same texts, in one sitting: each runs in a process of its
// own, in turn.
// Usage, after `npm run bootstrap` (fetches the model, 90 MB, when it is first run):
//   node scripts/measure/embeddings.mjs [--texts 4000] [--words 8,100] [--rounds 5] [--threads 2] [--python PYTHON]
// Without --python, a Python with what scripts/measure/peers/embed_texts.py needs, llm-host is measured alone.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fetchMinilm } from '../lib/minilm.mjs';
import { distDir, root } from '../lib/project.mjs';
import { runMain, SetupError } from '../lib/setup-error.mjs';

const { values } = parseArgs({
  options: {
    texts: { type: 'string', default: '4000' },
    words: { type: 'string', default: '8,100' },
    rounds: { type: 'string', default: '5' },
    threads: { type: 'string', default: '2' },
    python: { type: 'string' },
  },
});

const OURS = `
import { readFileSync } from 'node:fs';
const [folder, file] = process.argv.slice(2);
const { loadModel } = await import(process.env.LLM_HOST_DIST);
const texts = JSON.parse(readFileSync(file, 'utf8'));
const model = await loadModel(folder);
await model.embed(texts.slice(0, 200));
const started = performance.now();
await model.embed(texts);
console.log((texts.length * 1000) / (performance.now() - started));
await model.close();
`;

/** `count` texts of about so many words, all different. */
function textsOf(count, words) {
  const sentences = JSON.parse(readFileSync(join(root, 'test/fixtures/sentences.json'), 'utf8'));
  const all = sentences.join(' ').split(' ');
  return Array.from({ length: count }, (_, i) => {
    const length = Math.max(1, Math.round(words * (0.5 + (i % 101) / 100)));
    return Array.from({ length }, (_, at) => all[(i * 7 + at) % all.length]).join(' ');
  });
}

const median = numbers => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

await runMain(async () => {
  const folder = await fetchMinilm();
  const temp = mkdtempSync(join(tmpdir(), 'llm-host-embeddings-'));
  const { rounds, threads, python } = values;
  const script = join(temp, 'ours.mjs');
  writeFileSync(script, OURS);
  const env = { ...process.env, LLM_HOST_DIST: join(distDir, 'index.js'), LLM_HOST_THREADS: threads };
  const peer = join(root, 'scripts/measure/peers/embed_texts.py');
  const runners = {
    'llm-host': file => [process.execPath, [script, folder, file]],
    ...(python && {
      torch: file => [python, [peer, 'torch', folder, file, threads]],
      onnxruntime: file => [python, [peer, 'onnxruntime', folder, file, threads]],
    }),
  };
  try {
    for (const words of values.words.split(',')) {
      const file = join(temp, 'texts.json');
      const texts = textsOf(Number(values.texts), Number(words));
      writeFileSync(file, JSON.stringify(texts));
      const speeds = Object.fromEntries(Object.keys(runners).map(name => [name, []]));
      for (let round = 0; round < Number(rounds); round++) {
        for (const [name, command] of Object.entries(runners)) {
          const { stdout, stderr, status } = spawnSync(...command(file), { env, encoding: 'utf8' });
          if (status !== 0) throw new SetupError(`${name} failed`, { output: stderr });
          speeds[name].push(Number(stdout.trim().split('\n').at(-1)));
        }
      }
      for (const [name, list] of Object.entries(speeds)) {
        const range = `${Math.round(Math.min(...list))} to ${Math.round(Math.max(...list))}`;
        console.log(`${words} words, ${name}: ${Math.round(median(list))} texts/s (${range})`);
      }
    }
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
});
