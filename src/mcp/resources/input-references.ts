import { LlmHostError } from '../../errors.ts';

/** `@server:uri` in an input. */
export interface ResourceReference {
  readonly server: string;
  readonly uri: string;
}

/** `/server:prompt key=value ...` as a whole input. */
export interface PromptReference {
  readonly server: string;
  readonly prompt: string;
  readonly arguments: Readonly<Record<string, string>>;
}

/**
 * The resources an input names as `@server:uri`, each once, for the given servers only: `@someone: hello` is not a
 * reference. Punctuation at the end of a sentence is not part of the URI.
 */
export function resourceReferences(input: string, servers: readonly string[]): readonly ResourceReference[] {
  const found = new Map<string, ResourceReference>();
  // A server name may contain anything, so it is searched for, not matched: longest first.
  const names = [...servers].sort((a, b) => b.length - a.length);
  for (const { index } of input.matchAll(/(?<![^\s([{"'])@/g)) {
    const rest = input.slice(index + 1);
    const server = names.find(name => rest.startsWith(`${name}:`));
    if (server === undefined) continue;
    const uri = /^\S*/.exec(rest.slice(server.length + 1))?.[0].replace(/[.,;:!?)\]}"']+$/, '');
    if (uri) found.set(`${server}\0${uri}`, { server, uri });
  }
  return [...found.values()];
}

/**
 * The prompt an input calls, or undefined if it does not. Values with spaces are quoted, with `\` escaping `"` and
 * `\`. Throws LlmHostError USAGE for an argument without a key.
 */
export function promptReference(input: string, servers: readonly string[]): PromptReference | undefined {
  if (!input.startsWith('/')) return undefined;
  const names = [...servers].sort((a, b) => b.length - a.length);
  const server = names.find(name => input.startsWith(`${name}:`, 1));
  if (server === undefined) return undefined;
  const [prompt = '', ...words] = splitWords(input.slice(server.length + 2));
  const args = new Map<string, string>();
  for (const word of words) {
    const at = word.indexOf('=');
    if (at <= 0) {
      throw new LlmHostError('USAGE', `/${server}:${prompt}: '${word}' is not an argument`, {
        hint: `Write key=value, and quote values with spaces: /${server}:${prompt} key="two words"`,
      });
    }
    args.set(word.slice(0, at), word.slice(at + 1));
  }
  return { server, prompt, arguments: Object.fromEntries(args) };
}

/** Splits words as a shell does: at whitespace outside double or single quotes. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let index = 0; index < text.length; index++) {
    const char = text[index] as string;
    if (char === '\\' && quote !== "'" && /["'\\\s]/.test(text[index + 1] ?? '')) {
      word = (word ?? '') + text[++index];
    } else if (quote !== '' ? char === quote : char === '"' || char === "'") {
      quote = quote === '' ? char : '';
      word ??= '';
    } else if (quote === '' && /\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + char;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}
