import { expect, test } from 'vitest';
import { expectText, greedyTexts, loadBf16Demo } from '../golden/precision/bf16-greedy.ts';

// Activations in bfloat16. Read when the first model is loaded.
process.env.LLM_HOST_DEVICE_POLICY = 'gpu';

test("20 greedy texts of 64 tokens in bfloat16 equal mlx-lm's, but for ties", async () => {
  const model = await loadBf16Demo();
  const ties = [];
  for (const golden of greedyTexts) ties.push(await expectText(model, golden));
  await model.close();
  console.log(`ties decided otherwise, per text: ${ties.join(' ')}`);
  expect(ties).toHaveLength(20);
});
