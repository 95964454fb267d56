// Tensors of published models as `{ mlx, shape, kind, bareInMlx }`, as write-mlx.mjs takes them.

export const norm = (mlx, size) => ({ mlx, shape: [size], kind: 'norm' });
export const matrix = (mlx, rows, cols) => ({ mlx, shape: [rows, cols], kind: 'matrix' });
/** A matrix for each of `count` heads. */
export const matrices = (mlx, count, rows, cols) => ({ mlx, shape: [count, rows, cols], kind: 'matrix' });
export const experts = (mlx, count, rows, cols) => ({ mlx, shape: [count, rows, cols], kind: 'experts' });
export const router = (mlx, rows, cols) => ({ mlx, shape: [rows, cols], kind: 'router' });
/** A convolution over time, for each channel. */
export const kernel = (mlx, channels, length) => ({ mlx, shape: [channels, length], kind: 'kernel' });
/** A vector whose name has no ".weight" behind it. */
export const vector = (mlx, size) => ({ mlx, shape: [size], kind: 'bias', bareInMlx: true });
/** The same, of ones. */
export const factors = (mlx, size) => ({ mlx, shape: [size], kind: 'norm', bareInMlx: true });

export const gatedMlp = (path, hidden, width) => [
  matrix(`${path}.gate_proj`, width, hidden),
  matrix(`${path}.up_proj`, width, hidden),
  matrix(`${path}.down_proj`, hidden, width),
];

/** `of(layer)` for each of so many layers. */
export const layersOf = (count, of) => Array.from({ length: count }, (_, layer) => of(layer)).flat();
