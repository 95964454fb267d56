import type { CompiledGrammar, GrammarCompiler, GrammarMatcher } from '@mlc-ai/web-xgrammar';
import { messageOf } from '../errors.ts';
import type { NextTokens } from './grammar-engine.ts';
import { loadXGrammar, type XGrammar } from './xgrammar.ts';

/** The vocabulary as sent to the worker. */
export interface VocabularyMessage {
  /** Bytes in GPT-2's byte-to-unicode alphabet; '' for ids without text. */
  readonly tokens: readonly string[];
  readonly stopIds: readonly number[];
}

/** Compiled grammars to keep; a session needs a few. */
const MAX_GRAMMARS = 16;

/** It was closed, or there never was one: no fault of the library. */
export class NoMatcher extends Error {}

/** xgrammar over one vocabulary. Compiling is slow, so this belongs in its own thread. */
export class GrammarMatching {
  readonly #library: XGrammar;
  readonly #lastMessage: () => string;
  readonly #compiler: GrammarCompiler;
  readonly #vocabulary: VocabularyMessage;
  readonly #compiled = new Map<string, CompiledGrammar>();
  readonly #matchers = new Map<number, GrammarMatcher>();
  #count = 0;

  private constructor(
    library: XGrammar,
    compiler: GrammarCompiler,
    vocabulary: VocabularyMessage,
    lastMessage: () => string,
  ) {
    this.#library = library;
    this.#lastMessage = lastMessage;
    this.#compiler = compiler;
    this.#vocabulary = vocabulary;
  }

  static async create(vocabulary: VocabularyMessage): Promise<GrammarMatching> {
    let said = '';
    const library = loadXGrammar(text => {
      // "Aborted" does not say why.
      if (!text.startsWith('Aborted')) said = text;
    });
    try {
      const { tokens, stopIds } = vocabulary;
      const info = await library.TokenizerInfo.createTokenizerInfo(
        [...tokens],
        'byte_level',
        false,
        tokens.length,
        [...stopIds],
      );
      // Its own cache would keep every grammar there ever was: megabytes each, in a memory of 2 GB.
      const compiler = await library.GrammarCompiler.createGrammarCompiler(info, false);
      info.dispose();
      return new GrammarMatching(library, compiler, vocabulary, () => said);
    } catch (error) {
      throw new Error(`xgrammar cannot start: ${said || messageOf(error)}`);
    }
  }

  async prepare(grammar: string): Promise<void> {
    await this.#compile(grammar);
  }

  async start(
    grammar: string,
    texts: readonly string[],
  ): Promise<{ readonly matcher: number; readonly accepted: number }> {
    const compiled = await this.#compile(grammar);
    const matcher = await this.#library.GrammarMatcher.createGrammarMatcher(compiled);
    this.#count += 1;
    this.#matchers.set(this.#count, matcher);
    const bad = texts.findIndex(text => text !== '' && !matcher._acceptString(text));
    return { matcher: this.#count, accepted: bad < 0 ? texts.length : bad };
  }

  accept(id: number, ids: readonly number[]): number {
    const matcher = this.#matcher(id);
    const bad = ids.findIndex(token => matcher.isTerminated() || !matcher.acceptToken(token));
    return bad < 0 ? ids.length : bad;
  }

  async next(id: number): Promise<NextTokens> {
    const matcher = this.#matcher(id);
    const words = await matcher.getNextTokenBitmask();
    const bytes = Math.ceil(this.#vocabulary.tokens.length / 8);
    const allowed = new Uint8Array(words.buffer, words.byteOffset, words.byteLength).slice(0, bytes);
    const complete = this.#vocabulary.stopIds.some(
      stop => (((allowed[stop >> 3] as number) >> (stop & 7)) & 1) === 1,
    );
    return { forced: complete ? '' : matcher.findJumpForwardString(), allowed, complete };
  }

  close(id: number): void {
    this.#matchers.get(id)?.dispose();
    this.#matchers.delete(id);
  }

  #matcher(id: number): GrammarMatcher {
    const matcher = this.#matchers.get(id);
    if (!matcher) throw new NoMatcher(`there is no matcher ${id}`);
    return matcher;
  }

  async #compile(grammar: string): Promise<CompiledGrammar> {
    const known = this.#compiled.get(grammar);
    this.#compiled.delete(grammar);
    const compiled = known ?? (await this.#compileNew(grammar));
    this.#compiled.set(grammar, compiled);
    for (const [text, oldest] of this.#compiled) {
      if (this.#compiled.size <= MAX_GRAMMARS) break;
      this.#compiled.delete(text);
      oldest.dispose();
    }
    return compiled;
  }

  /** The library throws a bare number or "Aborted", and prints why. */
  async #compileNew(grammar: string): Promise<CompiledGrammar> {
    try {
      return await this.#compiler.compileGrammar(grammar);
    } catch (error) {
      throw new Error(`the grammar cannot be used: ${this.#lastMessage() || messageOf(error)}`);
    }
  }
}
