import { isObject, type JsonObject } from '../text/files/json-file.ts';
import { TextList } from '../text/text-list.ts';

/** Tokens that end a turn in the chat models of all families. */
const END_MARKS = [
  '<|im_end|>',
  '<|endoftext|>',
  '<|end_of_text|>',
  '<|eot_id|>',
  '<|eom_id|>',
  '<|end|>',
  '<|return|>',
  '<|call|>',
  '<end_of_turn>',
  '</s>',
];

/** In a vocabulary with these, as gpt-oss has them, `<|end|>` ends one message of a reply: its thoughts, before the answer. */
const HARMONY_ENDS = ['<|return|>', '<|call|>'];

/** The end marks of a vocabulary. */
function endMarks(has: (mark: string) => boolean): string[] {
  const harmony = HARMONY_ENDS.every(has);
  return END_MARKS.filter(mark => has(mark) && !(harmony && mark === '<|end|>'));
}

/** Ids that end a reply: those the configurations name, and special tokens known to end a turn. */
export function stopIdsOf(texts: {
  readonly config: JsonObject;
  readonly generationConfig?: JsonObject | undefined;
  readonly tokenizer?: JsonObject | undefined;
  readonly tokenizerConfig?: JsonObject | undefined;
}): number[] {
  const ids = new Set<number>();
  for (const source of [texts.generationConfig, texts.config]) {
    for (const id of idsOf(source?.eos_token_id)) ids.add(id);
  }
  const special = specialTokens(texts.tokenizer);
  const eos = texts.tokenizerConfig?.eos_token;
  for (const mark of [isObject(eos) ? eos.content : eos, ...endMarks(mark => special.has(mark))]) {
    const id = special.get(mark);
    if (id !== undefined) ids.add(id);
  }
  return [...ids];
}

/** The same, from llama.cpp's tokenizer metadata. */
export function ggufStopIds(metadata: ReadonlyMap<string, unknown>): number[] {
  const ids = new Set<number>();
  for (const key of ['eos', 'eot', 'eom']) {
    for (const id of idsOf(metadata.get(`tokenizer.ggml.${key}_token_id`))) ids.add(id);
  }
  const tokens = metadata.get('tokenizer.ggml.tokens');
  const types = metadata.get('tokenizer.ggml.token_type');
  if (tokens instanceof TextList && Array.isArray(types)) {
    const controlId = (mark: string) => {
      const id = tokens.indexOf(mark);
      return id >= 0 && types[id] === CONTROL_TOKEN ? id : undefined;
    };
    for (const mark of endMarks(mark => controlId(mark) !== undefined)) ids.add(controlId(mark) as number);
  }
  return [...ids];
}

const CONTROL_TOKEN = 3;

function idsOf(value: unknown): number[] {
  const ids = Array.isArray(value) ? value : [value];
  return ids.filter(id => Number.isInteger(id) && id >= 0 && id < 2 ** 31);
}

function specialTokens(tokenizer: JsonObject | undefined): Map<unknown, number> {
  const added = Array.isArray(tokenizer?.added_tokens) ? tokenizer.added_tokens : [];
  return new Map(added.filter(isObject).flatMap(t => idsOf(t.id).map(id => [t.content, id])));
}
