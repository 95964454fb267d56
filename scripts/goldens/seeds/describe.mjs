// Describes weights files by the numbers of a seed that they hold: FILE.seed.json, from which test/fixtures/make.mjs makes
// FILE again. What is not found among the seed's numbers is in the description as it is.
//
// usage: node scripts/goldens/seeds/describe.mjs FILE ...
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { seededFile, tensorData } from '../../../test/fixtures/seeded/seeded-file.mjs';
import { contiguous, sourcesOf } from './drawn.mjs';
import { readWeights } from './weights-files.mjs';

/** Seeds in the scripts here. */
const SEEDS = [7, 1, 2, 3, 4, 5, 6, 8, 9, 11, 12, 104, 105, 108];
const ROUNDINGS = [undefined, 'even', 'away'];

const stemOf = name => name.replace(/\.(weight|scales|biases)$/, '');
const without = source => (Object.keys(source[4]).length > 0 ? source : source.slice(0, 4));

function describe(path) {
  const { file, frame, tensors } = readWeights(path);
  const sizes = [...new Set(tensors.flatMap(tensor => tensor.shape))].filter(size => size <= 512);
  const matrices = Map.groupBy(tensors, tensor => stemOf(tensor.name));
  for (const [stem, parts] of matrices)
    if (parts.length !== 3 || !parts.some(part => part.dtype === 'U32')) matrices.delete(stem);
  const seed = seedOf(
    tensors.filter(({ name }) => !matrices.has(stemOf(name))),
    sizes,
  );
  const sha256 = createHash('sha256').update(file).digest('hex');
  let best;
  for (const rounding of ROUNDINGS) {
    const setting = { seed, rounding };
    const quantized = Object.fromEntries(
      [...matrices]
        .map(([stem, parts]) => [stem, affine(setting, parts, sizes)])
        .filter(([, found]) => found),
    );
    const entries = tensors.map(tensor => [
      tensor.name,
      entryOf(setting, tensor, quantized, matrices, sizes),
    ]);
    const described = { ...setting, sha256, ...frame, quantized, tensors: Object.fromEntries(entries) };
    if (best === undefined || stored(described) < stored(best)) best = described;
    if (stored(best) === 0) break;
  }
  seededFile(best);
  return best;
}

/** By the larger tensors, of which one was drawn as it is. */
function seedOf(tensors, sizes) {
  const largest = tensors
    .filter(tensor => tensor.values)
    .toSorted((a, b) => b.values.length - a.values.length)
    .slice(0, 16);
  return SEEDS.find(seed =>
    largest.some(tensor =>
      contiguous(seed, tensor, sizes).some(source =>
        ROUNDINGS.some(rounding => isMade({ seed, rounding }, tensor, source)),
      ),
    ),
  );
}

function entryOf(setting, tensor, quantized, matrices, sizes) {
  const { name, dtype, shape, bytes, values } = tensor;
  const stem = stemOf(name);
  if (quantized[stem])
    return [dtype, shape, name.endsWith('weight') ? 'codes' : name.slice(stem.length + 1), stem];
  const source =
    values &&
    !matrices.has(stem) &&
    sourcesOf(setting.seed, tensor, sizes).find(each => isMade(setting, tensor, each));
  return [dtype, shape, ...(source ? without(source) : ['base64', bytes.toString('base64')])];
}

function isMade(setting, { dtype, shape, bytes }, source) {
  return tensorData({ ...setting, tensors: { x: [dtype, shape, ...source] } })[0].equals(bytes);
}

/** The affine quantization that gives a matrix' codes, scales and biases. */
function affine(setting, parts, sizes) {
  const [codes, scales, biases] = ['weight', 'scales', 'biases'].map(end =>
    parts.find(({ name }) => name.endsWith(end)),
  );
  const tensors = Object.fromEntries(
    [codes, scales, biases].map(({ dtype, shape }, i) => [
      i,
      [dtype, shape, ['codes', 'scales', 'biases'][i], 'x'],
    ]),
  );
  for (const group of [32, 64, 128]) {
    const shape = [...scales.shape.slice(0, -1), scales.shape.at(-1) * group];
    const bits = (32 * codes.shape.at(-1)) / shape.at(-1);
    if (![2, 3, 4, 5, 6, 8].includes(bits)) continue;
    const length = shape.reduce((product, size) => product * size, 1);
    const values = Float64Array.from({ length }, (_, i) => {
      const g = Math.floor(i / group);
      return codeAt(codes.bytes, i * bits, bits) * scales.values[g] + biases.values[g];
    });
    // Half a step, or a whole one where the largest code was too small.
    const slackOf = (_, i) => {
      const g = Math.floor(i / group);
      return Math.abs(scales.values[g]) * 1.05 + Math.abs(biases.values[g]) * 2 ** -8;
    };
    for (const source of sourcesOf(setting.seed, { values, shape, slackOf }, sizes)) {
      const found = { bits, group, dtype: scales.dtype, shape, source: without(source) };
      const made = tensorData({ ...setting, quantized: { x: found }, tensors });
      if ([codes, scales, biases].every(({ bytes }, i) => made[i].equals(bytes))) return found;
    }
  }
  return undefined;
}

function codeAt(bytes, at, bits) {
  let code = 0;
  for (let i = 0; i < bits; i++) code |= ((bytes[(at + i) >> 3] >> ((at + i) & 7)) & 1) << i;
  return code;
}

const stored = description =>
  Object.values(description.tensors)
    .filter(entry => entry[2] === 'base64')
    .join().length;

/** With a line for each tensor. */
function text(description) {
  const lines = value =>
    Object.entries(value).map(([name, each]) => `    ${JSON.stringify(name)}: ${JSON.stringify(each)}`);
  const parts = Object.entries(description)
    .filter(
      ([, value]) =>
        value !== undefined &&
        value !== false &&
        (value === null || typeof value !== 'object' || Object.keys(value).length > 0),
    )
    .map(([key, value]) =>
      key === 'tensors' || key === 'quantized'
        ? `  "${key}": {\n${lines(value).join(',\n')}\n  }`
        : `  "${key}": ${JSON.stringify(value)}`,
    );
  return `{\n${parts.join(',\n')}\n}\n`;
}

for (const path of process.argv.slice(2)) {
  const description = describe(path);
  writeFileSync(`${path}.seed.json`, text(description));
  console.log(`${path}: seed ${description.seed}, ${stored(description)} characters stored`);
}
