import { shownJson } from '../text/clean/visible.ts';
import { brokenTokenizer, isObject, type JsonObject } from './tokenizer-json.ts';

/** Tokens of one or two texts with the special ones between and around them. */
export interface FramedTokens {
  readonly ids: readonly number[];
  /** Each token's type: 0, or 1 in the second text, as tokenizer.json says. */
  readonly types: readonly number[];
}

/** Puts the special tokens of a model around what its tokenizer made of texts. */
export interface SpecialFrame {
  single(ids: readonly number[]): FramedTokens;
  pair(first: readonly number[], second: readonly number[]): FramedTokens;
  /** Special tokens that the two add. */
  readonly singleExtra: number;
  readonly pairExtra: number;
}

/** A step of a frame: special tokens, or one of the texts. */
interface Part {
  readonly ids?: readonly number[];
  readonly text?: 0 | 1;
  readonly type: number;
}

/**
 * From `post_processor` of tokenizer.json. Without one nothing is added, and two texts follow each other.
 * @throws LlmHostError MODEL_BROKEN
 */
export function specialFrame({ post_processor: step }: JsonObject): SpecialFrame {
  const { single, pair } = partsOf(step) ?? { single: [A], pair: [A, B] };
  const extra = (parts: readonly Part[]) => parts.reduce((sum, { ids }) => sum + (ids?.length ?? 0), 0);
  return {
    single: ids => framed(single, [ids, []]),
    pair: (first, second) => framed(pair, [first, second]),
    singleExtra: extra(single),
    pairExtra: extra(pair),
  };
}

/** The token that the model's tokenizer begins a text with, if it is a special one. */
export function firstSpecialId({ post_processor: step }: JsonObject): number | undefined {
  try {
    return partsOf(step)?.single[0]?.ids?.[0];
  } catch {
    // Only encoders need the rest of it.
    return undefined;
  }
}

const A: Part = { text: 0, type: 0 };
const B: Part = { text: 1, type: 1 };

function framed(
  parts: readonly Part[],
  texts: readonly [readonly number[], readonly number[]],
): FramedTokens {
  const ids: number[] = [];
  const types: number[] = [];
  for (const part of parts) {
    const own = part.text === undefined ? (part.ids ?? []) : texts[part.text];
    for (const id of own) {
      ids.push(id);
      types.push(part.type);
    }
  }
  return { ids, types };
}

type Parts = { readonly single: readonly Part[]; readonly pair: readonly Part[] };

function partsOf(step: unknown): Parts | undefined {
  if (!isObject(step)) return undefined;
  switch (step.type) {
    case 'TemplateProcessing':
      return { single: template(step, step.single), pair: template(step, step.pair) };
    case 'BertProcessing':
      return byEnds(step, 1, 1);
    case 'RobertaProcessing':
      return byEnds(step, 2, 0);
    case 'Sequence':
      return [step.processors]
        .flat()
        .map(partsOf)
        .find(parts => parts !== undefined);
    default:
      // ByteLevel only moves offsets.
      return undefined;
  }
}

/** `cls` A `sep`, and `cls` A `sep` (`betweens` times) B `sep`. */
function byEnds({ cls, sep }: JsonObject, betweens: number, secondType: number): Parts {
  const special = (entry: unknown, type: number, times = 1): Part => {
    const id = Array.isArray(entry) ? entry[1] : undefined;
    if (!isId(id)) throw brokenTokenizer("'post_processor' has no id for cls or sep");
    return { ids: Array<number>(times).fill(id), type };
  };
  const single = [special(cls, 0), A, special(sep, 0)];
  return {
    single,
    pair: [
      ...single.slice(0, 2),
      special(sep, 0, betweens),
      { ...B, type: secondType },
      special(sep, secondType),
    ],
  };
}

function template({ special_tokens: tokens }: JsonObject, steps: unknown): readonly Part[] {
  if (!Array.isArray(steps)) throw brokenTokenizer("'post_processor' has no template");
  return steps.map(step => {
    const { Sequence: text, SpecialToken: special } = isObject(step) ? step : {};
    if (isObject(text)) return { text: text.id === 'B' ? 1 : 0, type: typeOf(text) };
    const id = isObject(special) ? special.id : undefined;
    const found = typeof id === 'string' && isObject(tokens) ? tokens[id] : undefined;
    const ids = isObject(found) ? found.ids : undefined;
    if (!isObject(special) || !Array.isArray(ids) || !ids.every(isId))
      throw brokenTokenizer(`'post_processor' has a broken step: ${shownJson(step)}`);
    return { ids, type: typeOf(special) };
  });
}

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Encoders know two. */
const typeOf = ({ type_id: type }: JsonObject): number => (type === 1 ? 1 : 0);
