import { lexer, type Token } from 'marked';

/** A block of markdown: a paragraph, a list, a piece of code, ... */
export interface Block {
  /** Where it starts: it keeps its place while the text grows. */
  readonly at: number;
  readonly token: Token;
  /** The definitions that its links may refer to: with other definitions it is another block. */
  readonly definitions: string;
}

type Lexed = ReturnType<typeof lexer>;

/** Longer texts are not read as markdown. */
const MAX_CHARS = 1_000_000;
/** After slow reading, the next one waits this many times as long. */
const SLOW_MS = 8;
const REST = 10;

/**
 * Splits a growing text into blocks. Only its end is read again: blocks that another one follows stay as they are, as the same
 * objects. The rare exceptions (a link whose address is defined further on) are mended by reading the whole text when it is
 * complete.
 */
export class BlockReader {
  #text = '';
  #settled: Block[] = [];
  /** Where the first block that may still change begins. */
  #open = 0;
  #tail: readonly Block[] = [];
  #tailEnd = 0;
  #notBefore = 0;
  readonly #now: () => number;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** `complete`: nothing more will come. */
  read(given: string, complete: boolean): readonly Block[] {
    // As marked does, so that places stay true.
    const text = given.includes('\r') ? given.replaceAll(/\r\n?/g, '\n') : given;
    if (text.length > MAX_CHARS) return [textBlock(text, 0)];
    if (complete) return this.#whole(text);
    if (!text.startsWith(this.#text)) this.#reset();
    if (text === this.#text) return this.#blocks(text);
    this.#text = text;
    const started = this.#now();
    if (started >= this.#notBefore) {
      this.#readOn(text);
      const took = this.#now() - started;
      this.#notBefore = took > SLOW_MS ? started + took * REST : 0;
    }
    return this.#blocks(text);
  }

  /** With what was not read yet, as it is. */
  #blocks(text: string): readonly Block[] {
    const unread = text.slice(this.#tailEnd);
    const rest = unread === '' ? [] : [textBlock(unread, this.#tailEnd)];
    return [...this.#settled, ...this.#tail, ...rest];
  }

  #whole(text: string): readonly Block[] {
    this.#reset();
    return placed(lexed(text), 0);
  }

  /** The last two blocks may still become others: a line of `===` makes a heading of the paragraph above. */
  #readOn(text: string): void {
    const blocks = placed(lexed(text.slice(this.#open)), this.#open);
    const settled = blocks.slice(0, -2);
    this.#settled.push(...settled);
    this.#tail = blocks.slice(settled.length);
    this.#open = this.#tail[0]?.at ?? text.length;
    this.#tailEnd = text.length;
  }

  #reset(): void {
    this.#text = '';
    this.#settled = [];
    this.#tail = [];
    this.#open = 0;
    this.#tailEnd = 0;
    this.#notBefore = 0;
  }
}

/** The tokens whose `raw` joined is the text; a text that marked cannot read is one paragraph. */
function lexed(text: string): Lexed {
  try {
    return lexer(text, { gfm: true });
  } catch {
    // Nested too deep.
    return Object.assign([textToken(text)], { links: {} });
  }
}

/** Without the empty lines between them. */
function placed(tokens: Lexed, start: number): Block[] {
  const definitions = JSON.stringify(tokens.links);
  let at = start;
  return tokens.flatMap(token => {
    // A block without a bracket refers to nothing.
    const block = { at, token, definitions: token.raw.includes('[') ? definitions : '' };
    at += token.raw.length;
    return token.type === 'space' ? [] : [block];
  });
}

const textBlock = (text: string, at: number): Block => ({ at, token: textToken(text), definitions: '' });

const textToken = (text: string): Token => ({ type: 'text', raw: text, text, tokens: undefined }) as Token;
