// Perplexity by node-llama-cpp, for scripts/measure/perplexity.mjs: windows of ids, each read from an empty context.
// Usage: node llama_cpp_perplexity.mjs FOLDER, which contains node_modules with node-llama-cpp; { model, windows, threads }
// comes on stdin.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const peer = join(process.argv[2], 'node_modules', 'node-llama-cpp');
const { version } = JSON.parse(readFileSync(join(peer, 'package.json'), 'utf8'));
const { model: modelPath, windows, threads } = JSON.parse(readFileSync(0, 'utf8'));

const { getLlama } = await import(pathToFileURL(join(peer, 'dist', 'index.js')).href);
const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, logLevel: 'error' });
const model = await llama.loadModel({ modelPath });
const longest = Math.max(...windows.map(ids => ids.length));
const context = await model.createContext({ contextSize: longest + 8, ...(threads && { threads }) });
const sequence = context.getSequence();

const start = performance.now();
let sum = 0;
let count = 0;
for (const ids of windows) {
  await sequence.clearHistory();
  // Greedily, so that the selected token has the largest logit; `totalLogitWeight` is relative to that.
  const generateNext = target => ({
    logits: { filter: { tokens: [target], includeSelected: true } },
    totalLogitWeight: true,
    options: { temperature: 0 },
  });
  const input = ids.slice(0, -1).map((id, place) => [id, { generateNext: generateNext(ids[place + 1]) }]);
  const results = await sequence.controlledEvaluate(input);
  for (const [place, { next }] of results.entries()) {
    const largest = Math.max(...next.logits.values());
    sum += next.logits.get(ids[place + 1]) - largest - Math.log(next.totalLogitWeight);
    count++;
  }
}
const seconds = (performance.now() - start) / 1000;
console.log(JSON.stringify({ version, perplexity: Math.exp(-sum / count), tokens: count, seconds }));
process.exit(0);
