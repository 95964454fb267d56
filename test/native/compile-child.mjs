// Loads models, generates a few tokens with each, and prints for each its log-probabilities and the kernels of a step.
// Usage: node compile-child.mjs FOLDER...
import { loadEngine } from '../../dist/engine/load-engine.js';

const results = [];
for (const folder of process.argv.slice(2)) {
  const engine = await loadEngine(folder, { contextLength: 64, exact: false });
  const replies = engine.generate({
    promptIds: [5, 6, 7],
    maxTokens: 6,
    ignoreEos: true,
    logprobs: 5,
    measureGraph: true,
  });
  const tokens = [];
  while (true) {
    const { done, value } = await replies.next();
    if (!done) {
      tokens.push(value);
      continue;
    }
    results.push({ tokens, launches: value.graph.launches });
    break;
  }
  await engine.close();
}
process.stdout.write(JSON.stringify(results));
