import { type AddedToken, AddedTokenMatcher, isControlToken } from './added-tokens.ts';
import { createTokenTable, Detokenizer, type TokenTable } from './detokenizer.ts';
import { limitedEncode } from './encode-limit.ts';
import { RunCache } from './run-cache.ts';
import { firstSpecialId } from './special-frame.ts';
import { createPipeline, type TextPipeline } from './text-pipeline.ts';
import { brokenTokenizer, isObject, readAddedTokens, tokenText } from './tokenizer-json.ts';
import type { PromptSegment, TextStream, Tokenizer } from './tokenizer-types.ts';

/** Length of text whose ids are cached: a few long conversations, in about 6 MB. */
const KEPT_LENGTH = 1 << 20;

/**
 * A tokenizer from the parsed `tokenizer.json` and `tokenizer_config.json`. Ids are those of Hugging Face's
 * `tokenizers`; no BOS or EOS is added. Throws LlmHostError MODEL_BROKEN or MODEL_UNSUPPORTED.
 *
 * Control tokens (every added token but runs of whitespace) come only from text encoded with `special: true`;
 * elsewhere their spelling is ordinary text.
 */
export function createTokenizer(tokenizerJson: unknown, tokenizerConfig: unknown = {}): Tokenizer {
  if (!isObject(tokenizerJson) || !isObject(tokenizerJson.model)) throw brokenTokenizer("'model' is missing");
  const config = isObject(tokenizerConfig) ? tokenizerConfig : {};
  const added = readAddedTokens(tokenizerJson);
  const pipeline = createPipeline(tokenizerJson, config);
  const table = createTokenTable(pipeline.vocabulary, added, tokenizerJson);
  return new JsonTokenizer(pipeline, added, table, config, firstSpecialId(tokenizerJson));
}

class JsonTokenizer implements Tokenizer {
  readonly vocabSize: number;
  readonly bosToken: string | undefined;
  readonly eosToken: string | undefined;
  readonly addsBos: boolean;
  private readonly pipeline: TextPipeline;
  private readonly table: TokenTable;
  private readonly beforeNormalizing: AddedTokenMatcher;
  private readonly afterNormalizing: AddedTokenMatcher;
  private readonly controls: ReadonlyMap<number, AddedToken>;
  private readonly runs = new RunCache(KEPT_LENGTH);

  constructor(
    pipeline: TextPipeline,
    added: readonly AddedToken[],
    table: TokenTable,
    config: Readonly<Record<string, unknown>>,
    firstId: number | undefined,
  ) {
    this.pipeline = pipeline;
    this.table = table;
    this.vocabSize = table.size;
    this.bosToken = tokenText(config.bos_token);
    this.eosToken = tokenText(config.eos_token);
    const bosId = this.bosToken === undefined ? undefined : table.idOf(this.bosToken);
    // The configuration decides, as in llama.cpp's converter.
    const adds = typeof config.add_bos_token === 'boolean' ? config.add_bos_token : firstId === bosId;
    this.addsBos = bosId !== undefined && adds;
    this.beforeNormalizing = new AddedTokenMatcher(added.filter(token => !token.normalized));
    const normalized = added.filter(token => token.normalized);
    const length = normalized.reduce((sum, { content }) => sum + content.length, 0);
    this.afterNormalizing = new AddedTokenMatcher(
      limitedEncode(length, () =>
        normalized.map(token => ({ ...token, content: pipeline.normalize(token.content) })),
      ),
    );
    const unknown = pipeline.model.unknownId;
    this.controls = new Map(
      added.filter(token => isControlToken(token) && token.id !== unknown).map(token => [token.id, token]),
    );
  }

  encode(text: string, options: { special?: boolean } = {}): number[] {
    return this.encodeSegments([{ text, special: options.special ?? false }]);
  }

  encodeSegments(segments: readonly PromptSegment[]): number[] {
    const { text, contentRanges } = joinSegments(segments);
    return limitedEncode(text.length, () => this.encodeJoined(text, contentRanges));
  }

  private encodeJoined(text: string, contentRanges: readonly Range[]): number[] {
    const touchesContent = overlapTest(contentRanges);
    const pieces = this.beforeNormalizing.split(
      text,
      (token, start, end) => !isControlToken(token) || !touchesContent(start, end),
    );
    const ids: number[] = [];
    for (const piece of pieces) {
      if (piece.token) ids.push(piece.token.id);
      else push(ids, this.encodeRun(text, piece.start, piece.end, contentRanges));
    }
    return ids;
  }

  decode(ids: readonly number[]): string {
    const stream = this.stream();
    const parts: string[] = [];
    for (const id of ids) parts.push(stream.push(id));
    parts.push(stream.end());
    return parts.join('');
  }

  stream(options: { continues?: boolean } = {}): TextStream {
    return new Detokenizer(this.table, options);
  }

  idOf(token: string): number | undefined {
    return this.table.idOf(token);
  }

  bytesOf(id: number): Uint8Array | undefined {
    return this.table.bytesOf(id);
  }

  /** Text between added tokens. Segment borders in it leave no trace in the ids. */
  private encodeRun(
    text: string,
    start: number,
    end: number,
    contentRanges: readonly Range[],
  ): ArrayLike<number> {
    const run = text.slice(start, end);
    const content = clip(contentRanges, start, end);
    if (this.afterNormalizing.isEmpty) return this.encodePlain(run, start === 0);
    const allowAll = content.length === 0;
    const allowNone = content.length === 1 && content[0]?.[0] === start && content[0][1] === end;
    const isAllowed = (token: AddedToken) => allowAll || !isControlToken(token);
    const pieces = this.splitNormalized(run, allowAll || allowNone ? isAllowed : () => true);
    // Normalizing moves offsets: if such a token appears in mixed text, each segment is encoded separately.
    const isMixed =
      !allowAll && !allowNone && pieces.some(piece => piece.token && isControlToken(piece.token));
    if (!isMixed) return this.encodePieces(pieces, start === 0);
    const borders = [start, ...content.flat(), end];
    const ids: number[] = [];
    for (let index = 1; index < borders.length; index++) {
      const from = borders[index - 1] as number;
      const to = borders[index] as number;
      if (to > from) push(ids, this.encodeRun(text, from, to, content));
    }
    return ids;
  }

  private splitNormalized(run: string, allowed: (token: AddedToken) => boolean): TextPiece[] {
    const normalized = this.pipeline.normalize(run);
    const pieces = this.afterNormalizing.split(normalized, allowed);
    return pieces.map(({ token, start, end }) => ({ token, text: normalized.slice(start, end) }));
  }

  private encodePieces(pieces: readonly TextPiece[], atStart: boolean): number[] {
    const ids: number[] = [];
    for (const [index, piece] of pieces.entries()) {
      if (piece.token) ids.push(piece.token.id);
      else
        push(
          ids,
          this.guarded(piece.text, atStart && index === 0, text => text),
        );
    }
    return ids;
  }

  private encodePlain(text: string, atStart: boolean): ArrayLike<number> {
    return this.guarded(text, atStart, part => this.pipeline.normalize(part));
  }

  private model(text: string, atStart: boolean): number[] {
    if (text.length === 0) return [];
    const { split, model } = this.pipeline;
    return model.encode(split(text, atStart));
  }

  /**
   * A vocabulary may also have its control tokens as plain words (Unigram, or BPE that looks words up first). If
   * plain text produces one, the text is cut inside it until none is left.
   */
  private guarded(text: string, atStart: boolean, normalize: (text: string) => string): ArrayLike<number> {
    const encode = (part: string): number[] => {
      const ids = this.model(normalize(part), atStart);
      const forged = this.firstControl(ids);
      if (!forged || part.length < 2) return ids;
      const at = part.indexOf(forged.content);
      const cut = at < 0 ? part.length >> 1 : at + 1;
      return [...encode(part.slice(0, cut)), ...encode(part.slice(cut))];
    };
    return this.runs.ids(text, atStart, () => encode(text));
  }

  private firstControl(ids: readonly number[]): AddedToken | undefined {
    for (const id of ids) {
      const token = this.controls.get(id);
      if (token) return token;
    }
    return undefined;
  }
}

type Range = readonly [start: number, end: number];

interface TextPiece {
  readonly token: AddedToken | undefined;
  readonly text: string;
}

function joinSegments(segments: readonly PromptSegment[]): { text: string; contentRanges: Range[] } {
  const contentRanges: Range[] = [];
  let length = 0;
  for (const segment of segments) {
    const end = length + segment.text.length;
    const last = contentRanges.at(-1);
    if (!segment.special && end > length) {
      if (last && last[1] === length) contentRanges[contentRanges.length - 1] = [last[0], end];
      else contentRanges.push([length, end]);
    }
    length = end;
  }
  return { text: segments.map(segment => segment.text).join(''), contentRanges };
}

/** Tests whether [start, end) overlaps one of the ascending ranges. */
function overlapTest(ranges: readonly Range[]): (start: number, end: number) => boolean {
  return (start, end) => {
    let low = 0;
    let high = ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ranges[middle] as Range)[1] <= start) low = middle + 1;
      else high = middle;
    }
    return (ranges[low]?.[0] ?? Number.POSITIVE_INFINITY) < end;
  };
}

function clip(ranges: readonly Range[], start: number, end: number): Range[] {
  return ranges
    .filter(range => range[0] < end && range[1] > start)
    .map(range => [Math.max(range[0], start), Math.min(range[1], end)]);
}

/** `push(...items)` overflows the stack on long prompts. */
function push(target: number[], items: ArrayLike<number>): void {
  for (let index = 0; index < items.length; index++) target.push(items[index] as number);
}
