/** Mulberry32: the same numbers in [0, 1) for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** `text` in pieces of random lengths, empty ones among them. */
export function randomChunks(text: string, random: () => number): string[] {
  const chunks: string[] = [];
  const largest = 1 + Math.floor(random() * 12);
  for (let at = 0; at < text.length; ) {
    const end = at + Math.floor(random() * (largest + 1));
    chunks.push(text.slice(at, end));
    at = end;
  }
  return chunks;
}
