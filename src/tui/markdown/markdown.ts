import { lexer, type Token, type Tokens } from 'marked';
import stringWidth from 'string-width';
import { stripControls } from '../../text/clean/strip-controls.ts';
import type { Theme } from '../style/theme.ts';
import { highlightLine } from './highlight.ts';
import { wrap } from './wrap.ts';

/** Deeper than any text that somebody has written. */
const MAX_DEPTH = 24;

/** The markdown blocks of a text, in order; their `raw` joined is the text. One that marked cannot read is one block. */
export function blocksOf(text: string): Token[] {
  try {
    return lexer(text, { gfm: true });
  } catch {
    // Nested too deep.
    return [{ type: 'text', raw: text, text }];
  }
}

/** Renders a block, finished or not, as lines at most `width` columns wide; what is nested too deep, as it was written. */
export function renderBlock(block: Token, width: number, theme: Theme, depth = 0): string[] {
  const inner = Math.max(1, width);
  if (depth > MAX_DEPTH) return wrap(block.raw.trimEnd(), inner);
  switch (block.type) {
    case 'space':
      return [''];
    case 'heading':
      return wrap(theme.heading(inline((block as Tokens.Heading).tokens, theme)), inner);
    case 'paragraph':
    case 'text':
      return wrap(inline((block as Tokens.Paragraph).tokens ?? [block], theme), inner);
    case 'code':
      return code(block as Tokens.Code, inner, theme);
    case 'blockquote':
      return blocks((block as Tokens.Blockquote).tokens, inner - 2, theme, depth + 1).map(
        line => `${theme.dim('│')} ${line}`,
      );
    case 'list':
      return list(block as Tokens.List, inner, theme, depth + 1);
    case 'table':
      return table(block as Tokens.Table, inner, theme);
    case 'hr':
      return [theme.dim('─'.repeat(Math.min(inner, 40)))];
    default:
      return wrap(block.raw.trimEnd(), inner);
  }
}

function blocks(tokens: readonly Token[], width: number, theme: Theme, depth: number): string[] {
  return tokens.flatMap(token => renderBlock(token, width, theme, depth));
}

function inline(tokens: readonly Token[], theme: Theme): string {
  return tokens.map(token => span(token, theme)).join('');
}

function span(token: Token, theme: Theme): string {
  const inner = () => ('tokens' in token && token.tokens ? inline(token.tokens, theme) : textOf(token));
  switch (token.type) {
    case 'strong':
      return theme.bold(inner());
    case 'em':
      return theme.italic(inner());
    case 'del':
      return theme.strike(inner());
    case 'codespan':
      return theme.code((token as Tokens.Codespan).text);
    case 'br':
      return '\n';
    case 'checkbox':
      return ''; // part of the item's mark
    case 'link': {
      const href = shownText((token as Tokens.Link).href);
      const label = inner();
      return label === href || `mailto:${label}` === href
        ? theme.link(label)
        : `${label} ${theme.link(`(${href})`)}`;
    }
    case 'image': {
      const { text, href } = token as Tokens.Image;
      return `${shownText(text) || 'image'} ${theme.link(`(${shownText(href)})`)}`;
    }
    case 'text':
      return 'tokens' in token && token.tokens ? inline(token.tokens, theme) : shownText(textOf(token));
    default:
      return inner();
  }
}

const textOf = (token: Token): string => ('text' in token ? String(token.text) : token.raw);

function code({ text, lang }: Tokens.Code, width: number, theme: Theme): string[] {
  const language = /^\S*/.exec(lang ?? '')?.[0] ?? '';
  const head = language === '' ? [] : [theme.dim(`  ${language}`)];
  const lines = text.split('\n').flatMap(line => {
    const shown = highlightLine(line.replaceAll('\t', '    '), language, theme);
    return wrap(shown, width - 2).map(part => `  ${part}`);
  });
  return [...head, ...lines];
}

function list({ items, ordered, start }: Tokens.List, width: number, theme: Theme, depth: number): string[] {
  const first = start === '' ? 1 : start;
  return items.flatMap((item, index) => {
    const box = item.task ? (item.checked ? '[x] ' : '[ ] ') : '';
    const mark = (ordered ? `${first + index}. ` : '• ') + box;
    const body = blocks(
      item.tokens.filter(token => token.type !== 'checkbox'),
      width - mark.length,
      theme,
      depth,
    );
    if (body.length === 0) body.push('');
    return body.map((line, row) => (row === 0 ? mark : ' '.repeat(mark.length)) + line);
  });
}

const MIN_COLUMN = 3;

function table({ header, rows, align }: Tokens.Table, width: number, theme: Theme): string[] {
  const cells = [header, ...rows].map(row => row.map(cell => inline(cell.tokens, theme)));
  const natural = header.map((_, column) =>
    Math.max(MIN_COLUMN, ...cells.map(row => widest(row[column] ?? ''))),
  );
  const widths = narrow(natural, width - 3 * (header.length - 1));
  const line = (row: readonly string[], paint: (text: string) => string) => {
    const parts = widths.map((size, column) => wrap(row[column] ?? '', size));
    const height = Math.max(...parts.map(part => part.length));
    return Array.from({ length: height }, (_, at) =>
      parts
        .map((part, column) => paint(pad(part[at] ?? '', widths[column] ?? 0, align[column])))
        .join(theme.dim(' │ '))
        .trimEnd(),
    );
  };
  const rule = theme.dim(widths.map(size => '─'.repeat(size)).join('─┼─'));
  return [
    ...line(cells[0] ?? [], theme.bold),
    rule,
    ...cells.slice(1).flatMap(row => line(row, text => text)),
  ];
}

const widest = (text: string) => Math.max(...text.split('\n').map(line => stringWidth(line)));

/** Narrows the widest columns until all of them fit. */
function narrow(natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  while (widths.reduce((sum, size) => sum + size, 0) > width) {
    const most = Math.max(...widths);
    if (most <= MIN_COLUMN) break;
    widths[widths.indexOf(most)] = most - 1;
  }
  return widths;
}

function pad(text: string, width: number, align: 'center' | 'left' | 'right' | null | undefined): string {
  const gap = Math.max(0, width - stringWidth(text));
  if (align === 'right') return ' '.repeat(gap) + text;
  if (align !== 'center') return text + ' '.repeat(gap);
  return ' '.repeat(Math.floor(gap / 2)) + text + ' '.repeat(Math.ceil(gap / 2));
}

/** The names that people use in markdown. */
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  deg: '°',
  plusmn: '±',
  times: '×',
  divide: '÷',
  euro: '€',
  larr: '←',
  uarr: '↑',
  rarr: '→',
  darr: '↓',
  le: '≤',
  ge: '≥',
  ne: '≠',
  pi: 'π',
  infin: '∞',
};

const REFERENCE = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi;

/**
 * Text of a markdown token for the terminal, its character references replaced (`&lt;`, `&#8212;`). Marked replaces some of
 * them itself, so control characters may come out of a text that had none.
 */
function shownText(text: string): string {
  const decoded = text.replace(REFERENCE, (whole, decimal?: string, hex?: string, name = '') => {
    if (decimal === undefined && hex === undefined)
      return (Object.hasOwn(NAMED, name) && NAMED[name]) || whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
  });
  return stripControls(decoded);
}
