// Generates with every tiny model in test/fixtures and compares with the reference, as test/golden/decoders/tiny.test.ts does,
// but without a test runner, which takes minutes to start in an emulated Node. Imports TypeScript directly: Node 22.18.

import { tinyGoldens, tinyModels } from '../../../test/golden/decoders/tiny-cases.ts';
import { generate, greatestDifference, loadNative } from '../../../test/golden/native-run.ts';

const TOLERANCE = 1e-3;
let greatest = 0;
let replies = 0;
for (const { model, adapter, cases } of tinyGoldens) {
  const native = await loadNative(tinyModels + model, adapter && tinyModels + adapter);
  for (const golden of cases) {
    const tokens = await generate(native, golden.prompt, golden.ids.length);
    const ids = tokens.map(token => token.id);
    if (`${ids}` !== `${golden.ids}`) throw new Error(`${model}: ${ids} instead of ${golden.ids}`);
    greatest = Math.max(greatest, greatestDifference(tokens, golden));
    replies += 1;
  }
  await native.close();
}
if (greatest > TOLERANCE) throw new Error(`log-probabilities differ by ${greatest}`);
console.log(
  `Node ${process.version} on ${process.arch}: ${replies} replies of ${tinyGoldens.length} tiny models equal ` +
    `mlx-lm's, their log-probabilities within ${greatest.toExponential(1)}`,
);
