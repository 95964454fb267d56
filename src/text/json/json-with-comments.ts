import type { Node, ParseError } from 'jsonc-parser';
import { jsonc } from './jsonc.ts';

export interface Position {
  /** 1-based. */
  readonly line: number;
  readonly column: number;
}

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown; readonly root: Node }
  /** `<detail> at <line>:<column>` */
  | { readonly ok: false; readonly detail: string };

/** The parser is recursive, so a file's depth must be limited. */
const MAX_DEPTH = 100;

/** JSON with comments and trailing commas, for files written by hand; at most 100 levels deep. */
export function parseJsonWithComments(text: string): ParsedJson {
  if (text.trim() === '') return { ok: false, detail: 'the file is empty at 1:1' };
  const deep = depthFault(text);
  if (deep !== undefined) return { ok: false, detail: deep };
  const errors: ParseError[] = [];
  const root = jsonc().parseTree(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true });
  const error = errors[0];
  if (root && !error) return { ok: true, value: jsonc().getNodeValue(root), root };
  const { line, column } = positionAt(text, error?.offset ?? 0);
  const detail = error ? words(jsonc().printParseErrorCode(error.error)) : 'no value';
  return { ok: false, detail: `${detail} at ${line}:${column}` };
}

/** jsonc-parser's SyntaxKind, a const enum that isolated modules cannot import. */
const TOKEN = { openBrace: 1, closeBrace: 2, openBracket: 3, closeBracket: 4, eof: 17 } as const;

/** `nested more than 100 levels deep at <line>:<column>`, where the parser would run out of stack. */
export function depthFault(text: string): string | undefined {
  const offset = tooDeepAt(text);
  if (offset === undefined) return undefined;
  const { line, column } = positionAt(text, offset);
  return `nested more than ${MAX_DEPTH} levels deep at ${line}:${column}`;
}

function tooDeepAt(text: string): number | undefined {
  const scanner = jsonc().createScanner(text, true);
  let depth = 0;
  for (let kind: number = scanner.scan(); kind !== TOKEN.eof; kind = scanner.scan()) {
    if (kind === TOKEN.openBrace || kind === TOKEN.openBracket) depth++;
    if (kind === TOKEN.closeBrace || kind === TOKEN.closeBracket) depth--;
    if (depth > MAX_DEPTH) return scanner.getTokenOffset();
  }
  return undefined;
}

/** As editors count: a byte order mark is not a column. */
export function positionAt(text: string, offset: number): Position {
  const before = text
    .slice(0, offset)
    .replace(/^\uFEFF/, '')
    .split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

/** The position of the value at `path`, or of its closest existing parent. */
export function positionOf(text: string, root: Node, path: readonly (string | number)[]): Position {
  for (let length = path.length; length >= 0; length--) {
    const node = jsonc().findNodeAtLocation(root, path.slice(0, length));
    if (node) return positionAt(text, node.parent?.type === 'property' ? node.parent.offset : node.offset);
  }
  return { line: 1, column: 1 };
}

/** `PropertyNameExpected` -> `property name expected` */
function words(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}
