import { readFileSync, writeFileSync } from 'node:fs';

const KEYS = [
  'rss',
  'heapUsed',
  'objects',
  'external',
  'mlxActive',
  'mlxCache',
  'handles',
  'threads',
  'files',
];
const UNITS = { handles: '', threads: '', files: '' };
const [WIDTH, HEIGHT, GAP] = [640, 90, 30];

/** The samples that the probe of this process wrote, with the turns done by then. */
export function readSamples(file, pid, turnsAt) {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
    .filter(sample => sample.pid === pid)
    .map(sample => ({ ...sample, turns: turnsAt(sample.at) }));
}

/**
 * Growth of each quantity over the later two thirds of the turns: per 1,000 turns, by least squares, of the least value in
 * each of 30 parts, and half the width of its 95 % interval.
 */
function slopes(samples) {
  const last = samples.at(-1)?.turns ?? 0;
  const late = samples.filter(({ turns }) => turns >= last / 3);
  return Object.fromEntries(KEYS.map(key => [key, slopeOf(least(late, key, last))]));
}

function least(samples, key, last) {
  const parts = new Map();
  for (const sample of samples) {
    const part = Math.floor((sample.turns / last) * 45);
    const known = parts.get(part);
    if (known === undefined || sample[key] < known[key]) parts.set(part, sample);
  }
  return [...parts.values()].map(sample => [sample.turns / 1000, sample[key]]);
}

/** [slope, half its 95 % interval], as if the parts were independent of each other. */
function slopeOf(points) {
  const mean = index => points.reduce((sum, point) => sum + point[index], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const above = points.reduce((sum, [px, py]) => sum + (px - x) * (py - y), 0);
  const below = points.reduce((sum, [px]) => sum + (px - x) ** 2, 0);
  if (below === 0 || points.length < 3) return [0, Number.POSITIVE_INFINITY];
  const slope = above / below;
  const squares = points.reduce((sum, [px, py]) => sum + (py - y - slope * (px - x)) ** 2, 0);
  return [slope, 1.96 * Math.sqrt(squares / (points.length - 2) / below)];
}

const shown = (key, value) => (key in UNITS ? value.toFixed(2) : `${(value / 1e6).toFixed(2)} MB`);

/** One line a quantity: first, last, largest, growth per 1,000 turns. */
export function table(samples) {
  const slope = slopes(samples);
  const rows = KEYS.map(key => {
    const values = samples.map(sample => sample[key]);
    const cells = [values[0], values.at(-1), Math.max(...values)].map(value => shown(key, value));
    const [growth, half] = slope[key].map(value => shown(key, value));
    return `| ${key} | ${cells.join(' | ')} | ${growth} ± ${half} |`;
  });
  return [
    '| quantity | first | last | largest | per 1,000 turns |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

/** The samples as CSV, and a curve of each quantity over the turns as SVG. */
export function writeCurves(path, title, samples) {
  const keys = ['turns', ...KEYS];
  const lines = samples.map(sample => keys.map(key => sample[key]).join());
  writeFileSync(`${path}.csv`, `${[keys.join(), ...lines].join('\n')}\n`);
  const last = samples.at(-1).turns || 1;
  const curves = KEYS.map((key, index) => {
    const top = GAP + index * (HEIGHT + GAP);
    const largest = Math.max(...samples.map(sample => sample[key]), 1);
    const points = samples.map(sample => {
      const x = 10 + (sample.turns / last) * WIDTH;
      return `${x.toFixed(1)},${(top + HEIGHT - (sample[key] / largest) * HEIGHT).toFixed(1)}`;
    });
    return `<text x="10" y="${top - 6}">${key}, up to ${shown(key, largest)}</text>
<path d="M10 ${top + HEIGHT}h${WIDTH}" stroke="#ccc"/><polyline points="${points.join(' ')}" fill="none" stroke="#26c"/>`;
  });
  const height = GAP + KEYS.length * (HEIGHT + GAP);
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH + 20}" height="${height}" font-family="sans-serif" font-size="12">`;
  const page = '<rect width="100%" height="100%" fill="#fff"/>';
  writeFileSync(`${path}.svg`, `${head}<title>${title}</title>${page}${curves.join('\n')}</svg>\n`);
}
