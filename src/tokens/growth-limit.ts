import { brokenTokenizer } from './tokenizer-json.ts';

/** Text may become this much longer, which is more than any Unicode normalization does to real text ... */
const MAX_GROWTH = 8;
/** ... and short text by this many characters. */
const FREE_GROWTH = 65_536;
/** The longest replacement of one match, or of the start of a text. */
const MAX_REPLACEMENT = 64;

/** A step of a normalizer or pre-tokenizer as @huggingface/tokenizers builds it. */
interface Step {
  readonly normalizers?: readonly (Step | null)[];
  readonly tokenizers?: readonly (Step | null)[];
  readonly config?: { readonly content?: unknown; readonly prepend?: unknown };
  readonly str_rep?: unknown;
  normalize?(text: string): string;
  pre_tokenize_text?(text: string, options?: unknown): string[];
}

/** Stops steps that make text longer and longer, each from what the one before it made. */
export class GrowthLimit {
  #left = Number.POSITIVE_INFINITY;

  /** @throws LlmHostError MODEL_BROKEN for a replacement that is too long to be one */
  watch(step: Step | null): void {
    if (step === null) return;
    for (const inner of step.normalizers ?? step.tokenizers ?? []) this.watch(inner);
    const replacements = [step.config?.content, step.config?.prepend, step.str_rep];
    const texts = replacements.filter(text => typeof text === 'string');
    if (texts.some(text => text.length > MAX_REPLACEMENT)) {
      throw brokenTokenizer(`a replacement is longer than ${MAX_REPLACEMENT} characters`);
    }
    if (texts.length > 0) this.#limit(step);
  }

  /** Runs all steps on a text of this length. */
  of<T>(length: number, steps: () => T): T {
    this.#left = length * MAX_GROWTH + FREE_GROWTH;
    return steps();
  }

  #limit(step: Step): void {
    const { normalize, pre_tokenize_text: split } = step;
    if (normalize) step.normalize = text => this.#checked(normalize.call(step, text));
    if (!split) return;
    step.pre_tokenize_text = (text, options) => {
      const words = split.call(step, text, options);
      for (const word of words) this.#checked(word);
      return words;
    };
  }

  #checked(text: string): string {
    if (text.length > this.#left) {
      throw brokenTokenizer(
        `its normalizer or pre-tokenizer makes text more than ${MAX_GROWTH} times as long`,
      );
    }
    return text;
  }
}
