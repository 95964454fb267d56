// Where the values of a tensor may have been drawn from: candidates, which the caller proves by making them.
import { generatorOf } from '../../../test/fixtures/seeded/seeded-file.mjs';

/** More numbers than the largest tiny model has. */
const STREAM = 350_000;
/** Standard deviations in the scripts here: alone, and over the root of a size. */
const DEVIATIONS = [0.1, 0.2, 0.3, 0.5, 0.6, 1, 1.5];
const SCALED = [1.5, 2, 1];
const UNIFORM = [
  ['log', 1, 16],
  ['uniform', -3, 1],
  ['uniform', 0.5, 1.2],
];
/** Changes that MLX and llama.cpp make to some tensors. */
const CHANGES = [{}, { plus: 1 }, { negativeExp: true }];
/** Values that are compared first; fewer than four could be anywhere. */
const COMPARED = 24;
const FEWEST = 4;

const BUCKETS = 48_000;
const bucketOf = z => Math.min(Math.max(Math.floor((z + 6) * 4000), 0), BUCKETS - 1);

const streams = new Map();

/** A seed's normal numbers, where each begins in the generator's output, and all by size. */
function streamOf(seed) {
  const known = streams.get(seed);
  if (known) return known;
  const starts = new Uint32Array(STREAM);
  const values = generatorOf(seed).normals(0, STREAM, starts);
  const first = new Uint32Array(BUCKETS + 1);
  for (const value of values) first[bucketOf(value) + 1]++;
  for (let i = 0; i < BUCKETS; i++) first[i + 1] += first[i];
  const next = first.slice();
  const order = new Uint32Array(STREAM);
  for (const [i, value] of values.entries()) order[next[bucketOf(value)]++] = i;
  const stream = { values, starts, order, first };
  streams.set(seed, stream);
  return stream;
}

/** Places in the stream where values follow each other that are within `slack` of the wanted ones. */
function placesOf({ values, order, first }, { wanted, slack }, mean, deviation) {
  const end = first[bucketOf((wanted[0] + slack[0] - mean) / deviation) + 1];
  const found = [];
  for (let i = first[bucketOf((wanted[0] - slack[0] - mean) / deviation)]; i < end; i++) {
    const at = order[i];
    let j = 0;
    while (j < wanted.length && Math.abs(mean + deviation * values[at + j] - wanted[j]) <= slack[j]) j++;
    if (j === wanted.length) found.push(at);
  }
  return found;
}

/**
 * @param {number} seed
 * @param {{ values: Float64Array, shape: number[], slackOf?: (value: number, i: number) => number }} tensor
 * @param {number[]} sizes of the model, by whose roots deviations may have been divided
 */
export function* sourcesOf(seed, tensor, sizes) {
  yield* contiguous(seed, tensor, sizes);
  yield* byRows(seed, tensor, sizes);
  if (!tensor.slackOf && tensor.values.length <= 64) yield* uniform(seed, tensor);
}

/** All values one after the other. */
export function* contiguous(seed, tensor, sizes) {
  const stream = streamOf(seed);
  for (const { change, given, mean, deviation } of drawings(tensor, sizes))
    for (const at of placesOf(stream, part(given, 0, COMPARED), mean, deviation).slice(0, 50))
      yield ['normal', mean, deviation, stream.starts[at], change];
}

/** Rows or columns apart from each other, at regular distances. */
function* byRows(seed, tensor, sizes) {
  const stream = streamOf(seed);
  const dims = tensor.shape.filter(size => size > 1);
  if (dims.length < 2) return;
  const [rows, columns] = dims.slice(-2);
  for (const { change, given, mean, deviation } of drawings(tensor, sizes))
    for (const transposed of [false, true]) {
      const turned = transposed
        ? { wanted: swapped(given.wanted, rows, columns), slack: swapped(given.slack, rows, columns) }
        : given;
      const length = transposed ? rows : columns;
      const placeOf = row =>
        placesOf(stream, part(turned, row * length, Math.min(length, COMPARED)), mean, deviation)[0];
      if (length < FEWEST || placeOf(0) === undefined) continue;
      const places = Array.from({ length: turned.wanted.length / length }, (_, row) => placeOf(row));
      const view = places.includes(undefined)
        ? undefined
        : viewOf(places, length, transposed ? columns : undefined);
      if (view) yield ['normal', mean, deviation, stream.starts[places[0]], { ...change, view }];
    }
}

function* uniform(seed, { values }) {
  const stream = generatorOf(seed).uniforms(0, STREAM);
  for (const change of CHANGES.filter(each => !each.plus))
    for (const [kind, a, b] of UNIFORM) {
      const wanted = Array.from(values, x => (change.negativeExp ? Math.log(-x) : x));
      if (!wanted.every(Number.isFinite)) continue;
      const drawn = stream.map(u => (kind === 'log' ? Math.log(a + (b - a) * u) : a + (b - a) * u));
      const fits = at =>
        wanted.every((x, j) => Math.abs(drawn[at + j] - x) <= (Math.abs(x) + 1e-3) * 2 ** -7.9);
      for (let at = 0; at < STREAM - wanted.length; at++) if (fits(at)) yield [kind, a, b, at, change];
    }
}

/** Each way in which numbers of the tensor's size may have been drawn, with what was wanted of it. */
function* drawings({ values, shape, slackOf = x => (Math.abs(x) + 1e-6) * 2 ** -7.9 }, sizes) {
  for (const change of CHANGES) {
    const wanted = values.map(x => (change.negativeExp ? Math.log(-x) : x - (change.plus ?? 0)));
    if (!wanted.every(Number.isFinite)) continue;
    const slack = wanted.map((x, i) => slackOf(x, i) + (change.plus ? 2 ** -8 : 0));
    const size =
      values.length < 64 ? undefined : Math.sqrt(wanted.reduce((sum, x) => sum + x * x, 0) / wanted.length);
    for (const [mean, deviation] of normals([...new Set([...shape, ...sizes])].filter(n => n > 1)))
      if (size === undefined || Math.abs(size / Math.hypot(mean, deviation) - 1) < 0.3)
        yield { change, given: { wanted, slack }, mean, deviation };
  }
}

function* normals(sizes) {
  // As numpy rounds them: 2 * n ** -0.5, but 1.5 / sqrt(n).
  for (const n of sizes)
    for (const factor of SCALED) yield [0, factor === 2 ? 2 * n ** -0.5 : factor / Math.sqrt(n)];
  for (const deviation of DEVIATIONS) for (const mean of [0, 1, -1]) yield [mean, deviation];
  for (const n of sizes) yield [0, 1.5 * Math.sqrt(n)];
}

function part({ wanted, slack }, from, length) {
  return { wanted: wanted.subarray(from, from + length), slack: slack.subarray(from, from + length) };
}

/** Rows and columns exchanged in each matrix. */
function swapped(values, rows, columns) {
  return values.map((_, i) => {
    const inside = i % (rows * columns);
    return values[i - inside + (inside % rows) * columns + Math.floor(inside / rows)];
  });
}

/** Dimensions that begin at `places` and have `length` values each; `columns` of them side by side. */
function viewOf(places, length, columns) {
  const parts =
    columns === undefined
      ? [progressions(places), [[length, 1]]]
      : [
          progressions(places.filter((_, i) => i % columns === 0)),
          [[length, 1]],
          progressions(places.slice(0, columns)),
        ];
  const view = parts.includes(undefined) ? [] : parts.flat();
  return view.length > 0 && view.every(([, distance]) => distance > 0) ? view : undefined;
}

/** [length, distance] of nested progressions that give `places`; undefined if there are none. */
function progressions(places) {
  if (places.length === 1) return [];
  const distance = places[1] - places[0];
  let length = 2;
  while (length < places.length && places[length] - places[length - 1] === distance) length++;
  while (places.length % length !== 0) length--;
  if (length < 2) return undefined;
  const outer = places.filter((_, i) => i % length === 0);
  if (!places.every((place, i) => place === outer[Math.floor(i / length)] + (i % length) * distance))
    return undefined;
  const rest = progressions(outer);
  return rest && [...rest, [length, distance]];
}
