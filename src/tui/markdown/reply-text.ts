import type { Token, Tokens } from 'marked';
import { stripControls } from '../../text/clean/strip-controls.ts';
import type { Theme } from '../style/theme.ts';
import { blocksOf, renderBlock } from './markdown.ts';

export interface ReplyView {
  readonly width: number;
  /** The window's, where they are more: for code and tables, which are worse for being wrapped. */
  readonly columns?: number;
  /** How many lines may stay live. */
  readonly height: number;
  readonly theme: Theme;
}

export interface ReplyLines {
  /** Finished since the last call: printed once, never redrawn. */
  readonly settled: readonly string[];
  /** The block that is still growing. */
  readonly live: readonly string[];
}

const LABEL = 'assistant -> ';
/** Below this width the label gets its own line. */
const MIN_LABEL_WIDTH = 24;
/** Characters at which a block is split: every frame parses it again. */
const MAX_PENDING = 2000;
/** A table may be longer: its rows share column widths. */
const MAX_TABLE = 8000;
/** A fence that names a language, which is shown. */
const LANGUAGE = /^(`{3,}|~{3,})\S/;
/** Blocks that take the whole window. */
const WIDE: ReadonlySet<string> = new Set(['code', 'table']);
const TABLE_ROW = /\n\|[^\n]*$/;

/**
 * A reply as it streams. A markdown block settles (becomes finished lines) when the next one begins; only the last
 * block is live. The top lines of a block taller than `height` settle early, as rendered at the time.
 */
export class ReplyText {
  #pending = '';
  /** How many lines of the last block have settled. */
  #frozen = 0;
  /** The view that those lines were made for. */
  #made: ReplyView | undefined;
  #started = false;

  get isEmpty(): boolean {
    return !this.#started && this.#pending.trim() === '';
  }

  push(text: string): void {
    this.#pending += stripControls(text).replaceAll('\r', '');
    // Drop blank lines before the reply.
    if (!this.#started) this.#pending = this.#pending.trimStart();
  }

  lines(view: ReplyView): ReplyLines {
    if (this.isEmpty) return { settled: [], live: [] };
    this.#adapt(view);
    const settled: string[] = [];
    const limit = TABLE_ROW.test(this.#pending) ? MAX_TABLE : MAX_PENDING;
    if (this.#pending.length > limit) settled.push(...this.#cut(view));
    const blocks = blocksOf(this.#pending);
    const last = blocks.findLastIndex(block => block.type !== 'space');
    for (const block of blocks.slice(0, Math.max(0, last))) {
      settled.push(...this.#render(block, view));
      this.#pending = this.#pending.slice(block.raw.length);
    }
    const tail = blocks[last];
    const lines = tail ? this.#render(tail, view, false) : [];
    const over = Math.max(0, lines.length - view.height);
    this.#frozen += over;
    return { settled: [...settled, ...lines.slice(0, over)], live: lines.slice(over) };
  }

  /** Ends the reply: returns the lines that have not settled. */
  end(view: ReplyView, mark = ''): readonly string[] {
    this.#pending = this.#pending.trimEnd() + mark;
    if (this.isEmpty) return [];
    this.#adapt(view);
    const lines = blocksOf(this.#pending).flatMap(block => this.#render(block, view));
    this.#pending = '';
    this.#started = false;
    return lines;
  }

  /** The block's unsettled lines; the first block of a reply carries the label. */
  #render(block: Token, view: ReplyView, finished = true): string[] {
    const rest = this.#linesOf(block, view).slice(this.#frozen);
    if (finished) {
      this.#started = true;
      this.#frozen = 0;
    }
    return rest;
  }

  #linesOf(block: Token, { width, columns = width, theme }: ReplyView): readonly string[] {
    const begins = !this.#started;
    const plain = width >= MIN_LABEL_WIDTH && (block.type === 'paragraph' || block.type === 'text');
    if (begins && plain) {
      // Wrap with a placeholder word as wide as the label, then put the label in its place.
      const marked = renderBlock(labelled(block), width, theme);
      return [LABEL + (marked[0] ?? '').slice(LABEL.length), ...marked.slice(1)];
    }
    const lines = renderBlock(block, WIDE.has(block.type) ? columns : width, theme);
    return begins ? [LABEL.trimEnd(), ...lines] : lines;
  }

  /** After a resize the lines that have settled are others: takes their text away instead. */
  #adapt(view: ReplyView): void {
    const made = this.#made ?? view;
    this.#made = view;
    if ((made.width === view.width && made.columns === view.columns) || this.#frozen === 0) return;
    const block = blocksOf(this.#pending).find(({ type }) => type !== 'space');
    // Rows of a table stay rows, and need their header.
    if (!block || block.type === 'table') return;
    const [first = '', ...others] = this.#linesOf(block, made).slice(0, this.#frozen);
    const text = [this.#started ? first : first.replace(LABEL.trimEnd(), ''), ...others];
    const fence = block.type === 'code' ? /^(`{3,}|~{3,})[^\n]*/.exec(block.raw)?.[0] : undefined;
    const rest = this.#pending.slice(endOfText(this.#pending, text)).replace(/^[^\S\n]+/, '');
    this.#started = true;
    this.#frozen = 0;
    this.#pending = fence === undefined ? rest : reopened(fence, rest);
    // Do not repeat the language line of a reopened code block.
    if (fence !== undefined && LANGUAGE.test(fence)) this.#frozen = 1;
  }

  /** Settles most of a block that has grown too long. A code block is closed and reopened. */
  #cut(view: ReplyView): string[] {
    const grown = blocksOf(this.#pending);
    const block = grown.at(-1);
    if (block?.type === 'list' && (block as Tokens.List).items.length > 1) {
      // Blocks above the list settle first.
      return grown.length > 1 ? [] : this.#cutList(block as Tokens.List, view);
    }
    const at = this.#cutAt(block, view);
    const head = this.#pending.slice(0, at);
    const blocks = blocksOf(head);
    const last = blocks.at(-1);
    const fence = last?.type === 'code' && /^(`{3,}|~{3,})[^\n]*/.exec(last.raw)?.[0];
    const lines = blocks.flatMap(block => this.#render(block, view));
    this.#pending = (fence ? `${fence}\n` : '') + this.#pending.slice(at);
    // Do not repeat the language line of a reopened code block.
    if (fence && LANGUAGE.test(fence)) this.#frozen = 1;
    return lines;
  }

  /** Settles all items but the last, whose nested content may still grow. */
  #cutList({ items }: Tokens.List, view: ReplyView): string[] {
    // An item's raw text may lack its trailing spaces.
    const at = this.#pending.trimEnd().length - (items.at(-1)?.raw.trimEnd().length ?? 0);
    const [list] = blocksOf(this.#pending.slice(0, at));
    if (!list) return [];
    const frozen = this.#frozen;
    this.#frozen = 0;
    const lines = this.#render(list, view);
    this.#frozen = Math.max(0, frozen - lines.length);
    this.#pending = this.#pending.slice(at);
    return lines.slice(frozen);
  }

  /** Where to cut: leaves at most about a line, so that all settled lines are above the cut. */
  #cutAt(block: Token | undefined, view: ReplyView): number {
    const text = this.#pending;
    const newline = text.lastIndexOf('\n') + 1;
    if (text.length - newline < view.width) return newline;
    // Cut at the end of a row, or a half-filled one would stay on the screen.
    const row = block?.type === 'paragraph' ? (this.#render(block, view, false).at(-1)?.trim() ?? '') : '';
    const end = text.trimEnd();
    if (row !== '' && end.length > row.length && end.endsWith(row)) return end.length - row.length;
    return text.lastIndexOf(' ') + 1 || text.length;
  }
}

/** The rest of a code block, from the line that its first settled part ended in. */
function reopened(fence: string, rest: string): string {
  return `${fence}\n${rest.replace(/^\n/, '')}`;
}

/** A paragraph that starts with a placeholder for the label. */
function labelled<T extends { raw: string }>(block: T): T {
  const room = { type: 'text', raw: '', text: `${'\u00a0'.repeat(LABEL.length - 1)} ` };
  const tokens =
    'tokens' in block && Array.isArray(block.tokens) ? block.tokens : [{ ...block, tokens: undefined }];
  return { ...block, tokens: [room, ...tokens] };
}

/** How far ahead in the source a character is looked for; what is not there was made by the renderer, such as a bullet. */
const AHEAD = 80;
/** Markup is seldom longer. Beyond it, a character counts only with those that follow it. */
const NEAR = 4;
const FOLLOWING = 4;
/**
 * The marks that the renderer puts before a row. A number may differ from the source's, and stand further to the right
 * there.
 */
const MARKS = /^(?:[│•\s]|\d+\. |\[[ x]\] )+/;

/**
 * The index in a markdown source behind the rows that were rendered from its beginning. Markup is passed over, white space
 * and what the renderer adds are ignored.
 */
function endOfText(source: string, rows: readonly string[]): number {
  const text = rows.map(row => stripControls(row).replace(MARKS, '').replaceAll(/\s/g, '')).join('');
  let end = 0;
  for (let index = 0; index < text.length; index++) {
    const at = nextOf(text.slice(index, index + FOLLOWING), source, end);
    if (at !== undefined) end = at + 1;
  }
  return end;
}

/** Where the first of these characters stands next in the source, unless that is another one of its kind. */
function nextOf(characters: string, source: string, start: number): number | undefined {
  const first = characters.charAt(0);
  for (let at = source.indexOf(first, start); at >= 0 && at - start <= AHEAD; ) {
    if (at - start <= NEAR || follow(characters, source, at)) return at;
    at = source.indexOf(first, at + 1);
  }
  return undefined;
}

function follow(characters: string, source: string, at: number): boolean {
  return source
    .slice(at, at + AHEAD)
    .replaceAll(/\s/g, '')
    .startsWith(characters);
}
