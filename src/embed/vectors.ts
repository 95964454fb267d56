/** The first `dimensions` numbers of each of the vectors that stand one after the other, scaled to length 1 if asked. */
export function vectorsOf(
  joined: Float32Array,
  width: number,
  { dimensions, normalize }: { readonly dimensions: number; readonly normalize: boolean },
): Float32Array[] {
  return Array.from({ length: joined.length / width }, (_, index) => {
    const vector = joined.slice(index * width, index * width + dimensions);
    return normalize ? scaled(vector) : vector;
  });
}

/** In place. A vector of zeros stays one. */
function scaled(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  if (length === 0) return vector;
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] as number) / length;
  return vector;
}

/** The cosine of the angle between vectors of length 1. */
export function product(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

export function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
