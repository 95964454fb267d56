import { LlmHostError } from '../errors.ts';
import { quoted } from '../text/clean/visible.ts';
import type { AddedToken } from './added-tokens.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function brokenTokenizer(detail: string): LlmHostError {
  return new LlmHostError('MODEL_BROKEN', `tokenizer.json: ${detail}`, {
    hint: 'Fetch the model again; the file is incomplete or from another format.',
  });
}

/** Checked, with Hugging Face's defaults filled in. */
export function readAddedTokens(tokenizerJson: JsonObject): AddedToken[] {
  const entries = tokenizerJson.added_tokens ?? [];
  if (!Array.isArray(entries)) throw brokenTokenizer("'added_tokens' is not a list");
  return entries.map((entry: unknown) => {
    if (!isObject(entry) || typeof entry.content !== 'string' || !isId(entry.id)) {
      throw brokenTokenizer("an entry of 'added_tokens' has no id or content");
    }
    const special = entry.special === true;
    return {
      id: entry.id,
      content: entry.content,
      special,
      normalized: typeof entry.normalized === 'boolean' ? entry.normalized : !special,
      lstrip: entry.lstrip === true,
      rstrip: entry.rstrip === true,
      singleWord: entry.single_word === true,
    };
  });
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** `bos_token` and the like: a string, or an object with `content`. */
export function tokenText(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry;
  return isObject(entry) && typeof entry.content === 'string' ? entry.content : undefined;
}

const GPT2_WORDS = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

/**
 * Adapts a pre-tokenizer step for @huggingface/tokenizers, whose `Digits` only knows ASCII digits and whose
 * `ByteLevel` has JavaScript's idea of whitespace (U+FEFF is, U+0085 is not). Written as equivalent regular
 * expressions, both split text as Rust's do.
 */
export function adaptPreTokenizer(step: unknown): unknown {
  if (!isObject(step)) return step ?? null;
  if (Array.isArray(step.pretokenizers)) {
    return { ...step, pretokenizers: step.pretokenizers.map(adaptPreTokenizer) };
  }
  if (step.type === 'Digits') return isolate(step.individual_digits === true ? '\\p{N}' : '\\p{N}+');
  // A prefix space must be there before the text is split, so that kind stays as it is.
  if (step.type !== 'ByteLevel' || step.use_regex === false || step.add_prefix_space === true) return step;
  return { type: 'Sequence', pretokenizers: [isolate(GPT2_WORDS), { ...step, use_regex: false }] };
}

function isolate(Regex: string): object {
  return { type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false };
}

/** Every `type` in a step and its nested steps. */
export function stepTypes(step: unknown): string[] {
  if (!isObject(step)) return [];
  const inner = [step.pretokenizers, step.decoders, step.normalizers].find(Array.isArray) ?? [];
  return [...(typeof step.type === 'string' ? [step.type] : []), ...inner.flatMap(stepTypes)];
}

/** Throws for a `pattern` that is neither a string nor a regular expression, which the library prints as it stands. */
export function checkPatterns(step: unknown): void {
  if (!isObject(step)) return;
  const { type, pattern } = step;
  const wanted = type === 'Replace' || type === 'Split' || pattern != null;
  const known = isObject(pattern) && [pattern.String, pattern.Regex].some(text => typeof text === 'string');
  if (wanted && !known) {
    throw brokenTokenizer(`the pattern ${quoted(pattern)} is neither a String nor a Regex`);
  }
  for (const inner of [step.normalizers, step.pretokenizers]) {
    if (Array.isArray(inner)) inner.forEach(checkPatterns);
  }
}
