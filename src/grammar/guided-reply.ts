import type { TokenEvent } from '../engine/engine.ts';
import type { OpenCall, ParseEvent, ToolParser } from '../parse/types/parse-event.ts';
import type { Tokenizer } from '../tokens/tokenizer-types.ts';
import type { GrammarEngine, GrammarMatcher } from './grammar-engine.ts';

/** What a reply is held to, and how its parts are found. */
export interface Guide {
  readonly grammar: GrammarEngine;
  readonly tokenizer: Pick<Tokenizer, 'stream' | 'encodeSegments'>;
  /** A parser at the start of the reply. */
  newParser(): ToolParser;
  /** What the reply was made to begin with; the tokens follow it. Default: ''. */
  readonly begun?: string;
  /** The grammar of a call that has begun; undefined: it is free, or it is too early to tell; `content`: it is none. */
  callGrammar(call: OpenCall): CallGrammar | 'content' | undefined;
  /** The grammar of all that is neither thinking nor a call; undefined: that is free. */
  readonly content: string | undefined;
}

export interface CallGrammar {
  readonly grammar: string;
  /** Marks in it that are control tokens where the tokenizer has them. */
  readonly marks: readonly string[];
  /** What does not fit from the start stays as it is. */
  readonly optional?: boolean;
}

/** How the model is to go on from `accepted`. */
export interface Correction {
  /** For the next token; undefined: any. */
  readonly allowed: Uint8Array | undefined;
}

interface Held {
  readonly matcher: GrammarMatcher;
  readonly kind: 'call' | 'content';
  readonly marks: readonly string[];
}

/**
 * A reply as it grows token by token, each checked before it counts. What the model says freely is only watched, for
 * the beginning of a call or of the content; from there on a matcher has to accept every token.
 */
export class GuidedReply {
  readonly #guide: Guide;
  #accepted: TokenEvent[] = [];
  #released = 0;
  #stream;
  #parser: ToolParser;
  /** The latest content, without whitespace before it. */
  #content = '';
  #held: Held | undefined;
  /** The call that is open now, or the content, stays as it is. */
  #freeCall = false;
  #freeContent = false;
  /** Where the model was corrected last. */
  #correctedAt = -1;
  #corrections = 0;

  constructor(guide: Guide) {
    this.#guide = guide;
    this.#stream = guide.tokenizer.stream();
    this.#parser = guide.newParser();
    this.#note(this.#parser.push(guide.begun ?? ''));
  }

  get ids(): readonly number[] {
    return this.#accepted.map(token => token.id);
  }

  get length(): number {
    return this.#accepted.length;
  }

  /** How often the model was corrected. */
  get corrections(): number {
    return this.#corrections;
  }

  /** Tokens that stay, not given out yet. Without `all`, what may have to be taken back is kept. */
  release(all = false): TokenEvent[] {
    const pending = this.#parser.progress?.().pending;
    const watched = pending === undefined && this.#guide.content === undefined;
    // A character that is not whole may turn out to be the first that does not fit.
    const certain = this.#held ?? ((pending === 0 || watched) && this.#accepted.at(-1)?.text !== '');
    if (!all && !certain) return [];
    const tokens = this.#accepted.slice(this.#released);
    this.#released = this.#accepted.length;
    return tokens;
  }

  /** Takes the model's next token; what it has to say instead if that cannot stand, `end` if the reply is over. */
  async take(token: TokenEvent): Promise<Correction | 'end' | undefined> {
    if (!this.#held) {
      this.#add(token);
      return await this.#watch();
    }
    if ((await this.#held.matcher.accept([token.id])) === 0) {
      // An engine that does not mind what is allowed would be corrected for ever.
      if (this.#correctedAt !== this.#accepted.length) return await this.#correct(this.#held);
      this.#setFree(this.#held.kind);
    }
    this.#add(token);
    if (this.#held?.kind === 'content') return undefined;
    if (this.#held && this.#parser.progress?.().call !== undefined) return undefined;
    this.#letGo();
    return await this.#watch();
  }

  /** The model ends its reply: what it has to say first if it cannot end here. */
  async stop(): Promise<Correction | undefined> {
    if (!this.#held || this.#correctedAt === this.#accepted.length) return undefined;
    if ((await this.#held.matcher.next()).complete) return undefined;
    const correction = await this.#correct(this.#held);
    return correction === 'end' ? undefined : correction;
  }

  close(): void {
    this.#letGo();
  }

  #setFree(kind: Held['kind']): void {
    if (kind === 'call') this.#freeCall = true;
    else this.#freeContent = true;
    this.#letGo();
  }

  #letGo(): void {
    this.#held?.matcher.close();
    this.#held = undefined;
  }

  #add(token: TokenEvent): void {
    const text = this.#stream.push(token.id);
    this.#accepted.push({ ...token, text });
    this.#note(this.#parser.push(text));
  }

  #note(events: readonly ParseEvent[]): void {
    for (const event of events) {
      this.#content = event.type === 'content' ? (this.#content + event.text).trimStart() : '';
    }
  }

  /** Looks for what has to be held from here on. */
  async #watch(): Promise<Correction | 'end' | undefined> {
    // In the middle of a character the text is not yet what the tokens are.
    if (this.#accepted.at(-1)?.text === '') return undefined;
    const progress = this.#parser.progress?.();
    const call = progress?.call;
    if (call === undefined) this.#freeCall = false;
    const found = call && !this.#freeCall ? this.#guide.callGrammar(call) : undefined;
    if (call && found !== 'content') return found && (await this.#hold('call', found, call.body.length));
    const { content } = this.#guide;
    const length = this.#content.length + (progress?.pending ?? 0);
    if (content === undefined || this.#freeContent || (this.#content === '' && !call)) return undefined;
    return await this.#hold('content', { grammar: content, marks: [] }, length);
  }

  /** Holds the last `length` characters to a grammar, and all that follows. */
  async #hold(
    kind: Held['kind'],
    { grammar, marks, optional = false }: CallGrammar,
    length: number,
  ): Promise<Correction | 'end' | undefined> {
    const { first, given, before, texts } = this.#last(length);
    const begun = await this.#begin(kind, grammar, [given, ...texts]);
    if (!begun) return undefined;
    const { matcher } = begun;
    const accepted = begun.accepted - 1;
    const fits = accepted === texts.length;
    const keep = this.#wholeUntil(first + accepted);
    if (!fits && (optional || accepted < 0 || keep < this.#released)) {
      matcher.close();
      this.#setFree(kind);
      return undefined;
    }
    this.#held = { matcher, kind, marks };
    if (fits) return undefined;
    this.#takeBack(keep);
    // A token may hold the end of the opener and a beginning that does not fit.
    if (accepted === 0 && before !== '') this.#say([{ text: before, special: false }]);
    return await this.#correct(this.#held);
  }

  /** undefined: a call's grammar cannot be used, so the call is free; its check and the retry stay. */
  async #begin(kind: Held['kind'], grammar: string, texts: readonly string[]) {
    try {
      return await this.#guide.grammar.begin(grammar, texts);
    } catch (error) {
      if (kind === 'content') throw error;
      this.#setFree(kind);
      return undefined;
    }
  }

  /**
   * The last `length` characters: what of them the reply was made to begin with, and the texts of the tokens from
   * `first` on, which says `before` before them.
   */
  #last(length: number): { first: number; given: string; before: string; texts: string[] } {
    let first = this.#accepted.length;
    let left = length;
    while (left > 0 && first > 0) {
      first -= 1;
      left -= (this.#accepted[first] as TokenEvent).text.length;
    }
    const [text, ...others] = this.#accepted.slice(first).map(token => token.text);
    const given = left > 0 ? (this.#guide.begun ?? '').slice(-left) : '';
    if (text === undefined) return { first, given, before: '', texts: [] };
    const cut = Math.max(0, -left);
    return { first, given, before: text.slice(0, cut), texts: [text.slice(cut), ...others] };
  }

  /** The same number of tokens, or fewer: without a character that is not whole. */
  #wholeUntil(count: number): number {
    let whole = count;
    while (whole > 0 && this.#accepted[whole - 1]?.text === '') whole -= 1;
    return whole;
  }

  #takeBack(count: number): void {
    const kept = this.#accepted.slice(0, count);
    this.#accepted = [];
    this.#content = '';
    this.#stream = this.#guide.tokenizer.stream();
    this.#parser = this.#guide.newParser();
    this.#note(this.#parser.push(this.#guide.begun ?? ''));
    for (const token of kept) this.#add(token);
  }

  #say(segments: Parameters<Tokenizer['encodeSegments']>[0]): number[] {
    const ids = this.#guide.tokenizer.encodeSegments(segments);
    for (const id of ids) this.#add({ id, text: '' });
    return ids;
  }

  /** Says what has to come, and what may follow. */
  async #correct(held: Held): Promise<Correction | 'end'> {
    this.#corrections += 1;
    this.#correctedAt = -1;
    let next = await held.matcher.next();
    if (next.complete && held.kind === 'content') return 'end';
    if (next.forced !== '') {
      const ids = this.#guide.tokenizer.encodeSegments(segmentsOf(next.forced, held.marks));
      const fit = await held.matcher.accept(ids);
      for (const id of ids.slice(0, fit)) this.#add({ id, text: '' });
      if (fit > 0) next = await held.matcher.next();
    }
    this.#correctedAt = this.#accepted.length;
    return { allowed: next.allowed.some(byte => byte !== 0) ? next.allowed : undefined };
  }
}

/** Marks are control tokens, all else is text. */
function segmentsOf(text: string, marks: readonly string[]): { text: string; special: boolean }[] {
  const found = marks
    .map(mark => ({ mark, at: mark === '' ? -1 : text.indexOf(mark) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)[0];
  if (!found) return text === '' ? [] : [{ text, special: false }];
  const { mark, at } = found;
  return [
    ...(at > 0 ? [{ text: text.slice(0, at), special: false }] : []),
    { text: mark, special: true },
    ...segmentsOf(text.slice(at + mark.length), marks),
  ];
}
