import type { Token, Tokens } from 'marked';
import { stripControls } from '../../text/strip-controls.ts';
import type { Theme } from '../style/theme.ts';
import { blocksOf, renderBlock } from './markdown.ts';

export interface ReplyView {
  readonly width: number;
  /** Lines that may stay live. */
  readonly height: number;
  readonly theme: Theme;
}

export interface ReplyLines {
  /** Finished since the last call, never drawn again. */
  readonly settled: readonly string[];
  /** The block that still grows. */
  readonly live: readonly string[];
}

const LABEL = 'assistant -> ';
/** In a narrower window the label has a line of its own. */
const MIN_LABEL_WIDTH = 24;
/** A block longer than this is cut, so that what is parsed at each frame stays small. */
const MAX_PENDING = 2000;
/** The columns of a table hang together: it may grow longer. */
const MAX_TABLE = 8000;
const TABLE_ROW = /\n\|[^\n]*$/;

/**
 * A reply as it streams: markdown blocks are rendered when they are complete and settle; only the last one stays live.
 * Of a block taller than `height` the upper lines settle as they are.
 */
export class ReplyText {
  #pending = '';
  /** Lines of the last block that have settled already. */
  #frozen = 0;
  #started = false;

  get isEmpty(): boolean {
    return !this.#started && this.#pending.trim() === '';
  }

  push(text: string): void {
    this.#pending += stripControls(text).replaceAll('\r', '');
    // Blank lines before the reply are no part of it.
    if (!this.#started) this.#pending = this.#pending.trimStart();
  }

  lines(view: ReplyView): ReplyLines {
    if (this.isEmpty) return { settled: [], live: [] };
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

  /** The reply is over: all that is left. */
  end(view: ReplyView, mark = ''): readonly string[] {
    this.#pending = this.#pending.trimEnd() + mark;
    if (this.isEmpty) return [];
    const lines = blocksOf(this.#pending).flatMap(block => this.#render(block, view));
    this.#pending = '';
    this.#started = false;
    return lines;
  }

  /** The rendered block less what has settled; with the label when the reply begins with it. */
  #render(block: Token, { width, theme }: ReplyView, finished = true): string[] {
    const begins = !this.#started;
    const plain = width >= MIN_LABEL_WIDTH && (block.type === 'paragraph' || block.type === 'text');
    let lines: string[];
    if (begins && plain) {
      // The label takes part in the wrapping as one word of its width.
      const marked = renderBlock(labelled(block), width, theme);
      lines = [LABEL + (marked[0] ?? '').slice(LABEL.length), ...marked.slice(1)];
    } else {
      lines = renderBlock(block, width, theme);
      if (begins) lines = [LABEL.trimEnd(), ...lines];
    }
    const rest = lines.slice(this.#frozen);
    if (finished) {
      this.#started = true;
      this.#frozen = 0;
    }
    return rest;
  }

  /** Settles most of a block that has grown too long; a fence is closed here and opened again below. */
  #cut(view: ReplyView): string[] {
    const grown = blocksOf(this.#pending);
    const block = grown.at(-1);
    if (block?.type === 'list' && (block as Tokens.List).items.length > 1) {
      // What stands above the list settles first.
      return grown.length > 1 ? [] : this.#cutList(block as Tokens.List, view);
    }
    const at = this.#cutAt(block, view);
    const head = this.#pending.slice(0, at);
    const blocks = blocksOf(head);
    const last = blocks.at(-1);
    const fence = last?.type === 'code' && /^(`{3,}|~{3,})[^\n]*/.exec(last.raw)?.[0];
    const lines = blocks.flatMap(block => this.#render(block, view));
    this.#pending = (fence ? `${fence}\n` : '') + this.#pending.slice(at);
    // The head of a fence that goes on is not shown again.
    if (fence && /^(`{3,}|~{3,})\S/.test(fence)) this.#frozen = 1;
    return lines;
  }

  /** All but the last item settles: what is nested in an item is read with it. */
  #cutList({ items }: Tokens.List, view: ReplyView): string[] {
    // An item's raw text may lack the blanks at its end.
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

  /** No more than about a line stays: what has settled already must all be above the cut. */
  #cutAt(block: Token | undefined, view: ReplyView): number {
    const text = this.#pending;
    const newline = text.lastIndexOf('\n') + 1;
    if (text.length - newline < view.width) return newline;
    // Where a row ends, so that none is left half full.
    const row = block?.type === 'paragraph' ? (this.#render(block, view, false).at(-1)?.trim() ?? '') : '';
    const end = text.trimEnd();
    if (row !== '' && end.length > row.length && end.endsWith(row)) return end.length - row.length;
    return text.lastIndexOf(' ') + 1 || text.length;
  }
}

/** A paragraph that begins with room for the label. */
function labelled<T extends { raw: string }>(block: T): T {
  const room = { type: 'text', raw: '', text: `${'\u00a0'.repeat(LABEL.length - 1)} ` };
  const tokens =
    'tokens' in block && Array.isArray(block.tokens) ? block.tokens : [{ ...block, tokens: undefined }];
  return { ...block, tokens: [room, ...tokens] };
}
