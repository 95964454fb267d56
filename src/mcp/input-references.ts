import { LlmHostError } from '../errors.ts';

/** `@server:uri` in a prompt. */
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
 * The resources that an input names as `@server:uri`, each once, for the servers given; `@someone: hello` is no
 * reference. Punctuation that ends a sentence is no part of the uri.
 */
export function resourceReferences(input: string, servers: readonly string[]): readonly ResourceReference[] {
  const found = new Map<string, ResourceReference>();
  // A name may hold anything, so that it is looked for, not matched: the longest first.
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
 * The prompt that an input calls for, or undefined when it begins otherwise. Values with blanks are quoted, `"` and `\`
 * in them escaped by `\`. Throws LlmHostError USAGE for an argument without a key.
 */
export function promptReference(input: string, servers: readonly string[]): PromptReference | undefined {
  if (!input.startsWith('/')) return undefined;
  const names = [...servers].sort((a, b) => b.length - a.length);
  const server = names.find(name => input.startsWith(`${name}:`, 1));
  if (server === undefined) return undefined;
  const [prompt = '', ...words] = splitWords(input.slice(server.length + 2));
  const args: Record<string, string> = {};
  for (const word of words) {
    const at = word.indexOf('=');
    if (at <= 0) {
      throw new LlmHostError('USAGE', `/${server}:${prompt}: '${word}' is no argument`, {
        hint: `Write key=value, and quote values with blanks: /${server}:${prompt} key="two words"`,
      });
    }
    args[word.slice(0, at)] = word.slice(at + 1);
  }
  return { server, prompt, arguments: args };
}

/** Words as a shell separates them: by blanks outside of double or single quotes. */
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
