/** A pattern, and a form of it that also matches what may still become a match at the end of the text. */
export interface StreamPattern {
  readonly whole: RegExp;
  readonly partial: RegExp;
}

/** Compiles a Python pattern (`(?P<name>`, DOTALL) for streamed text. Throws SyntaxError. */
export function streamPattern(python: string): StreamPattern {
  const source = python
    .replaceAll('(?P<', '(?<')
    .replace(/\(\?P=(\w+)\)/g, '\\k<$1>')
    .replaceAll('\\Z', '$')
    .replaceAll('\\A', '^');
  return { whole: new RegExp(source, 'gs'), partial: new RegExp(`(?:${partialSource(source)})$`, 's') };
}

/** A pattern for any of the literals, longest first. */
export function literalPattern(literals: readonly string[]): StreamPattern {
  const escaped = [...literals].sort((a, b) => b.length - a.length).map(escapeLiteral);
  return streamPattern(escaped.join('|'));
}

function escapeLiteral(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Every element may be missing at the end of the text: `ab` becomes `(?:a|$)(?:b|$)`. */
function partialSource(source: string): string {
  let at = 0;
  const take = (length: number): string => {
    at += length;
    return source.slice(at - length, at);
  };
  const group = (): string => {
    const kind = /^\((?:\?(?:[:=!]|<[=!]|<\w+>))?/.exec(source.slice(at))?.[0] ?? '(';
    if (kind === '(?!' || kind === '(?<!' || kind === '(?<=') return take(endOfGroup(source, at) - at);
    take(kind.length);
    const inner = sequence();
    take(1);
    return `${kind}${inner}|$)`;
  };
  const sequence = (): string => {
    let result = '';
    while (at < source.length && source[at] !== ')') {
      const char = source[at] as string;
      if (char === '(') result += group();
      else if (char === '[') result += `(?:${take(endOfClass(source, at) - at)}|$)`;
      else if (char === '\\') result += escaped(take(escapeLength(source, at)));
      else if ('|^$*+?'.includes(char)) result += take(1);
      else if (char === '{') result += take((/^\{\d*,?\d*\}/.exec(source.slice(at))?.[0] ?? '{').length);
      else result += `(?:${take(1)}|$)`;
    }
    return result;
  };
  return sequence();
}

function escaped(text: string): string {
  return text === '\\b' || text === '\\B' ? text : `(?:${text}|$)`;
}

function escapeLength(source: string, at: number): number {
  return (
    /^\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|k<\w+>|[\s\S])/.exec(source.slice(at, at + 40))?.[0].length ?? 1
  );
}

function endOfClass(source: string, from: number): number {
  for (let at = from + 1; at < source.length; at++) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === ']') return at + 1;
  }
  return source.length;
}

function endOfGroup(source: string, from: number): number {
  let depth = 0;
  for (let at = from; at < source.length; at++) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === '[') at = endOfClass(source, at) - 1;
    else if (source[at] === '(') depth += 1;
    else if (source[at] === ')') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return source.length;
}
