import type { TokenEvent } from '../engine/engine.ts';
import type { OpenCall, ParseEvent, ReplyParser } from '../parse/types/parse-event.ts';
import type { Tokenizer } from '../tokens/tokenizer-types.ts';
import { CallDoubt } from './call-doubt.ts';
import type { GrammarEngine, GrammarMatcher } from './grammar-engine.ts';
import { segmentsOf } from './mark-segments.ts';

/** The grammars that constrain a reply, and the marks of its parts. */
export interface ReplyConstraint {
  readonly grammar: GrammarEngine;
  readonly tokenizer: Pick<Tokenizer, 'stream' | 'encodeSegments'>;
  /** A parser at the start of the reply. */
  newParser(): ReplyParser;
  /** Text the reply is forced to start with, before any token. Default: ''. */
  readonly prefix?: string;
  /** The grammar of an open call; undefined: unconstrained, or too early to tell; `content`: not a call after all. */
  callGrammar(call: OpenCall): CallGrammar | 'content' | undefined;
  /** The grammar of everything but thinking and calls; undefined: unconstrained. */
  readonly content: string | undefined;
}

export interface CallGrammar {
  readonly grammar: string;
  /** Marks in it that are special tokens if the tokenizer has them. */
  readonly marks: readonly string[];
  /** How many objects are around the values of the arguments. */
  readonly depth: number;
  /** Do not correct text that does not fit from the start. */
  readonly optional?: boolean;
}

/** How the model must continue. */
export interface Correction {
  /** Mask for the next token; undefined: any. */
  readonly allowed: Uint8Array | undefined;
}

/** Whitespace that a model may write before its answer starts; some would go on with it to their limit. */
const MAX_BLANK = 32;

/** Tokens of a call that wait because it may be withdrawn; a longer one is shown, so that it ends if it repeats itself. */
const MAX_HELD = 256;

interface ActiveGrammar {
  readonly matcher: GrammarMatcher;
  readonly kind: 'call' | 'content';
  readonly marks: readonly string[];
}

/**
 * A reply that grows token by token, each checked before it counts. Free text is only watched, for the start of a
 * call or of content; from there on a matcher must accept every token.
 */
export class ConstrainedReply {
  readonly #constraint: ReplyConstraint;
  readonly #most: number;
  #accepted: TokenEvent[] = [];
  #released = 0;
  #stream;
  #parser: ReplyParser;
  /** The latest content, without leading whitespace. */
  #content = '';
  /** Whitespace seen ahead of it, in characters. */
  #blank = 0;
  /** It has a call, whole or broken. */
  #called = false;
  #active: ActiveGrammar | undefined;
  /** The open call, or the content, is left unconstrained. */
  #freeCall = false;
  #freeContent = false;
  /** How sure a call has to be; 0 once one was withdrawn, or if it does not matter. */
  #confidence: number;
  /** The doubt about the open call. */
  #doubt: CallDoubt | undefined;
  /** Where the latest text that may be a call begins. */
  #callAt = 0;
  /** Length at the latest correction. */
  #correctedAt = -1;
  #corrections = 0;

  /**
   * @param most tokens of the reply: what must follow is cut there
   * @param confidence the least probability of a call's values, whose tokens need their log-probabilities: a less likely one
   * withdraws the call. 0: none does
   */
  constructor(constraint: ReplyConstraint, most: number, confidence = 0) {
    this.#constraint = constraint;
    this.#most = most;
    this.#confidence = confidence;
    this.#stream = constraint.tokenizer.stream();
    this.#parser = constraint.newParser();
    this.#note(this.#parser.push(constraint.prefix ?? ''));
  }

  get ids(): readonly number[] {
    return this.#accepted.map(token => token.id);
  }

  get length(): number {
    return this.#accepted.length;
  }

  get corrections(): number {
    return this.#corrections;
  }

  /** Accepted tokens not yet returned. Without `all`, keeps back those that may have to be undone. */
  release(all = false): TokenEvent[] {
    const pending = this.#parser.progress?.().pending;
    const watched = pending === undefined && this.#constraint.content === undefined;
    // A call may still be withdrawn, and an incomplete character may turn out not to fit.
    const certain = this.#active
      ? !this.#doubt
      : (pending === 0 || watched) && this.#accepted.at(-1)?.text !== '';
    if (!all && !certain) return [];
    const tokens = this.#accepted.slice(this.#released);
    this.#released = this.#accepted.length;
    return tokens;
  }

  /** Takes the model's next token. Returns a correction if it does not fit, `end` if the reply is over. */
  async take(token: TokenEvent): Promise<Correction | 'end' | undefined> {
    if (!this.#active) {
      this.#add(token);
      return await this.#watch();
    }
    if ((await this.#active.matcher.accept([token.id])) === 0) {
      // An engine that ignores the mask would be corrected forever.
      if (this.#correctedAt !== this.#accepted.length) return await this.#correct(this.#active);
      this.#setFree(this.#active.kind);
    }
    // The first token behind a correction was not the model's free choice.
    this.#add(token, this.#correctedAt !== this.#accepted.length);
    if (this.#active && this.#doubt?.isRaised) return await this.#withdraw(this.#active);
    if (this.#accepted.length - this.#callAt > MAX_HELD) this.#doubt = undefined;
    if (this.#active?.kind === 'content') return undefined;
    if (this.#active && this.#parser.progress?.().call !== undefined) return undefined;
    this.#deactivate();
    return await this.#watch();
  }

  /** The model wants to end its reply; returns what must come first, if anything. */
  async stop(): Promise<Correction | undefined> {
    if (this.#correctedAt === this.#accepted.length) return undefined;
    if (!this.#active && this.#lacksContent()) await this.#constrain('content', this.#contentGrammar(), 0);
    if (!this.#active || (await this.#active.matcher.next()).complete) return undefined;
    const correction = await this.#correct(this.#active);
    return correction === 'end' ? undefined : correction;
  }

  close(): void {
    this.#deactivate();
  }

  /** The reply would end without the content that was asked for, where that could follow. */
  #lacksContent(): boolean {
    if (this.#constraint.content === undefined || this.#freeContent || this.#called) return false;
    if (this.#parser.progress?.().call !== undefined) return false;
    // Not in an open thought, or the header of a message.
    const parser = this.#constraint.newParser();
    parser.push((this.#constraint.prefix ?? '') + this.#accepted.map(({ text }) => text).join(''));
    return parser.push('x').at(-1)?.type === 'content';
  }

  #contentGrammar(): CallGrammar {
    return { grammar: this.#constraint.content ?? '', marks: [], depth: 0 };
  }

  #setFree(kind: ActiveGrammar['kind']): void {
    if (kind === 'call') this.#freeCall = true;
    else this.#freeContent = true;
    this.#deactivate();
  }

  #deactivate(): void {
    this.#active?.matcher.close();
    this.#active = undefined;
    this.#doubt = undefined;
  }

  /** Takes the open call back, and bars the token that it began with. */
  async #withdraw({ matcher }: ActiveGrammar): Promise<Correction> {
    const { allowed } = await matcher.next();
    this.#deactivate();
    this.#confidence = 0;
    let opener = this.#callAt;
    while (this.#accepted[opener]?.text.trim() === '') opener += 1;
    const { id } = this.#accepted[opener] as TokenEvent;
    this.#takeBack(opener);
    this.#corrections += 1;
    return { allowed: allBut(id, allowed.length) };
  }

  #add(token: TokenEvent, isFree = true): void {
    const text = this.#stream.push(token.id);
    this.#accepted.push({ ...token, text });
    this.#note(this.#parser.push(text));
    this.#doubt?.push(text, isFree ? token.logprob : undefined);
  }

  #note(events: readonly ParseEvent[]): void {
    for (const event of events) {
      this.#called ||= event.type === 'call' || event.type === 'malformed';
      const isContent = event.type === 'content';
      this.#content = isContent ? (this.#content + event.text).trimStart() : '';
      this.#blank = isContent && this.#content === '' ? this.#blank + event.text.length : 0;
    }
  }

  /** Looks for the start of something to constrain. */
  async #watch(): Promise<Correction | 'end' | undefined> {
    // Inside a character, text and tokens do not correspond yet.
    if (this.#accepted.at(-1)?.text === '') return undefined;
    const progress = this.#parser.progress?.();
    const call = progress?.call;
    if (call === undefined) this.#freeCall = false;
    if (call === undefined && progress?.pending === 0) this.#callAt = this.#accepted.length;
    const found = call && !this.#freeCall ? this.#constraint.callGrammar(call) : undefined;
    if (call && found !== 'content') return found && (await this.#constrain('call', found, call.body.length));
    const { content } = this.#constraint;
    const length = this.#content.length + (progress?.pending ?? 0);
    if (content === undefined || this.#freeContent) return undefined;
    // Thoughts or a call may follow a little whitespace.
    if (this.#content === '' && !call && this.#blank <= MAX_BLANK) return undefined;
    return await this.#constrain('content', this.#contentGrammar(), length);
  }

  /** Applies a grammar to the last `length` characters and everything after them. */
  async #constrain(
    kind: ActiveGrammar['kind'],
    { grammar, marks, depth, optional = false }: CallGrammar,
    length: number,
  ): Promise<Correction | 'end' | undefined> {
    const { first, given, before, texts } = this.#last(length);
    const started = await this.#start(kind, grammar, [given, ...texts]);
    if (!started) return undefined;
    const { matcher } = started;
    const accepted = started.accepted - 1;
    const fits = accepted === texts.length;
    const keep = this.#wholeUntil(first + accepted);
    if (!fits && (optional || accepted < 0 || keep < this.#released)) {
      matcher.close();
      this.#setFree(kind);
      return undefined;
    }
    this.#active = { matcher, kind, marks };
    if (!fits) this.#takeBack(keep);
    if (kind === 'call' && this.#confidence > 0) {
      this.#doubt = new CallDoubt(this.#confidence, depth);
      for (const [i, { logprob }] of this.#accepted.slice(first).entries())
        this.#doubt.push(texts[i] as string, logprob);
    }
    if (fits) return undefined;
    // A token may hold both the end of the opener and a start that does not fit.
    if (accepted === 0 && before !== '')
      this.#say(this.#constraint.tokenizer.encodeSegments([{ text: before, special: false }]));
    return await this.#correct(this.#active);
  }

  /** undefined: a call's grammar cannot be used, so the call is free, but still checked and retried. */
  async #start(kind: ActiveGrammar['kind'], grammar: string, texts: readonly string[]) {
    try {
      return await this.#constraint.grammar.start(grammar, texts);
    } catch (error) {
      if (kind === 'content') throw error;
      this.#setFree(kind);
      return undefined;
    }
  }

  /**
   * The last `length` characters: the part from the forced prefix (`given`), and the texts of the tokens from `first`
   * on; `before` is what the first of them says ahead of it.
   */
  #last(length: number): { first: number; given: string; before: string; texts: string[] } {
    let first = this.#accepted.length;
    let left = length;
    while (left > 0 && first > 0) {
      first -= 1;
      left -= (this.#accepted[first] as TokenEvent).text.length;
    }
    const [text, ...others] = this.#accepted.slice(first).map(token => token.text);
    const given = left > 0 ? (this.#constraint.prefix ?? '').slice(-left) : '';
    if (text === undefined) return { first, given, before: '', texts: [] };
    const cut = Math.max(0, -left);
    return { first, given, before: text.slice(0, cut), texts: [text.slice(cut), ...others] };
  }

  /** At most `count` tokens, without an incomplete character at the end. */
  #wholeUntil(count: number): number {
    let whole = count;
    while (whole > 0 && this.#accepted[whole - 1]?.text === '') whole -= 1;
    return whole;
  }

  #takeBack(count: number): void {
    const kept = this.#accepted.slice(0, count);
    this.#accepted = [];
    this.#content = '';
    this.#blank = 0;
    this.#called = false;
    this.#stream = this.#constraint.tokenizer.stream();
    this.#parser = this.#constraint.newParser();
    this.#note(this.#parser.push(this.#constraint.prefix ?? ''));
    for (const token of kept) this.#add(token);
  }

  #say(ids: readonly number[]): void {
    for (const id of ids.slice(0, Math.max(0, this.#most - this.length))) this.#add({ id, text: '' });
  }

  /**
   * The tokens of text that must follow, but for the last: the model may write it as one token with what it chooses
   * behind it (`":` for `"`), and goes astray behind a cut that it has never read.
   */
  #forcedIds(text: string, marks: readonly string[]): number[] {
    const segments = segmentsOf(text, marks);
    const ids = this.#constraint.tokenizer.encodeSegments(segments);
    return segments.at(-1)?.special ? ids : ids.slice(0, -1);
  }

  /** Adds the tokens that must follow, and returns the mask for the next one. */
  async #correct(active: ActiveGrammar): Promise<Correction | 'end'> {
    this.#corrections += 1;
    this.#correctedAt = -1;
    let next = await active.matcher.next();
    if (next.complete && active.kind === 'content') return 'end';
    const ids = this.#forcedIds(next.forced, active.marks);
    if (ids.length > 0) {
      const fit = await active.matcher.accept(ids);
      this.#say(ids.slice(0, fit));
      if (fit > 0) next = await active.matcher.next();
    }
    this.#correctedAt = this.#accepted.length;
    return { allowed: next.allowed.some(byte => byte !== 0) ? next.allowed : undefined };
  }
}

/** A mask of this many bytes that allows every token but one. */
function allBut(id: number, bytes: number): Uint8Array {
  const mask = new Uint8Array(bytes).fill(0xff);
  mask[id >> 3] = 0xff & ~(1 << (id & 7));
  return mask;
}
