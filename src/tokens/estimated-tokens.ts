import type { PromptSegment, Tokenizer } from './tokenizer-types.ts';

/** UTF-16 units for each token of the context up to which a prompt is always tokenized whole. */
const EXACT_UNITS = 16;
/** A prompt is surely too long, and its tokens are estimated, from this many contexts on. */
const EXACT_CONTEXTS = 4;
/** UTF-16 units that are tokenized at a time; long enough that the cuts change the sum by little. */
const PART_UNITS = 16_384;

/**
 * The tokens of a prompt that is many times longer than the context, estimated from its beginning, so that ten megabytes
 * neither block the program for seconds nor fill its memory. undefined: it is not, and has to be tokenized.
 */
export function estimatedTokens(
  tokenizer: Pick<Tokenizer, 'encodeSegments'>,
  segments: readonly PromptSegment[],
  contextLength: number,
): number | undefined {
  const units = segments.reduce((sum, { text }) => sum + text.length, 0);
  if (units <= EXACT_UNITS * contextLength) return undefined;
  let tokens = 0;
  let read = 0;
  for (const { text, special } of segments) {
    for (let at = 0; at < text.length; at += PART_UNITS) {
      const part = text.slice(at, at + PART_UNITS);
      tokens += tokenizer.encodeSegments([{ text: part, special }]).length;
      read += part.length;
      if (tokens > EXACT_CONTEXTS * contextLength) return Math.round((tokens * units) / read);
    }
  }
  return undefined;
}

/** The number for a message: with "about" where it may be an estimate. */
export function toldTokens(tokens: number, contextLength: number): string {
  return tokens > EXACT_CONTEXTS * contextLength ? `about ${Number(tokens.toPrecision(2))}` : `${tokens}`;
}
