/** An entry of tokenizer.json's `added_tokens`. */
export interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly special: boolean;
  /** Matched in normalized text instead of the original. */
  readonly normalized: boolean;
  /** The match includes whitespace before, or after, it. */
  readonly lstrip: boolean;
  readonly rstrip: boolean;
  /** Never inside a word. */
  readonly singleWord: boolean;
}

/** An added token, or the text between two. */
export interface Piece {
  readonly token: AddedToken | undefined;
  readonly start: number;
  readonly end: number;
}

interface TrieNode {
  readonly next: Map<number, TrieNode>;
  token?: AddedToken;
}

/**
 * True for a token that message content must never produce. Gemma and others list plain runs of whitespace as added
 * tokens, which belong to ordinary text. Everything else counts as a control token, `special` or not: content that
 * spells Qwen's `<tool_call>` must not become a call.
 */
export function isControlToken(token: AddedToken): boolean {
  return token.special || /[^\p{White_Space}\u2581]/u.test(token.content);
}

/** Finds added tokens as Hugging Face's Rust library does: leftmost, longest, then the flags. */
export class AddedTokenMatcher {
  private readonly root: TrieNode = { next: new Map() };
  readonly isEmpty: boolean;

  constructor(tokens: readonly AddedToken[]) {
    for (const token of tokens) if (token.content.length > 0) this.insert(token);
    this.isEmpty = this.root.next.size === 0;
  }

  /** `allowed(token, start, end)` decides whether a match at these offsets counts. */
  split(text: string, allowed: (token: AddedToken, start: number, end: number) => boolean): Piece[] {
    const pieces: Piece[] = [];
    let from = 0;
    for (let at = 0; at < text.length; ) {
      const token = this.longestAt(text, at, allowed);
      if (!token) {
        at += 1;
        continue;
      }
      const end = at + token.content.length;
      const isPart = token.singleWord && (isWordChar(text, at - 1) || isWordChar(text, end));
      if (!isPart) {
        const start = token.lstrip ? Math.max(from, trimmedEnd(text, at)) : at;
        const stop = token.rstrip ? skipSpace(text, end) : end;
        if (from < start) pieces.push({ token: undefined, start: from, end: start });
        if (stop > from) pieces.push({ token, start: Math.max(start, from), end: stop });
        from = stop;
      }
      at = end;
    }
    if (from < text.length) pieces.push({ token: undefined, start: from, end: text.length });
    return pieces;
  }

  private insert(token: AddedToken): void {
    let node = this.root;
    for (let index = 0; index < token.content.length; index++) {
      const code = token.content.charCodeAt(index);
      let next = node.next.get(code);
      if (!next) {
        next = { next: new Map() };
        node.next.set(code, next);
      }
      node = next;
    }
    node.token ??= token;
  }

  private longestAt(
    text: string,
    start: number,
    allowed: (token: AddedToken, start: number, end: number) => boolean,
  ): AddedToken | undefined {
    let found: AddedToken | undefined;
    let node = this.root.next.get(text.charCodeAt(start));
    for (let at = start + 1; node; at++) {
      if (node.token && allowed(node.token, start, at)) found = node.token;
      node = at < text.length ? node.next.get(text.charCodeAt(at)) : undefined;
    }
    return found;
  }
}

/** Unicode's White_Space, as in Rust; JavaScript's \s differs in U+0085 and U+FEFF. */
const WHITESPACE = /\p{White_Space}/u;

function isWordChar(text: string, at: number): boolean {
  return /[\p{L}\p{M}\p{Nd}\p{Pc}]/u.test(text.charAt(at));
}

function trimmedEnd(text: string, end: number): number {
  let at = end;
  while (at > 0 && WHITESPACE.test(text.charAt(at - 1))) at -= 1;
  return at;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && WHITESPACE.test(text.charAt(at))) at += 1;
  return at;
}
