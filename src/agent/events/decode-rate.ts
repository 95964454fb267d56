import type { ReplyStats } from './turn-event.ts';

/** The part of one or more replies that has a rate. */
export interface Decoded {
  readonly tokens: number;
  /** Milliseconds. */
  readonly ms: number;
}

/** As `bench` counts: a reply's first token comes from reading the prompt, so `decodeMs` covers the others. */
export function decodedOf({ generatedTokens, decodeMs }: ReplyStats): Decoded {
  return generatedTokens > 1 && decodeMs > 0
    ? { tokens: generatedTokens - 1, ms: decodeMs }
    : { tokens: 0, ms: 0 };
}

/** Tokens per second; undefined: no reply had a second token. */
export function decodeRate({ tokens, ms }: Decoded): number | undefined {
  return ms > 0 ? (tokens / ms) * 1000 : undefined;
}
