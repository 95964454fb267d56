import type { CompletionRequest, HostPrompt, HostResource } from '../tool-host.ts';

/** A value being typed, or the name of an argument, which needs no server. */
export type InputCompletion =
  | { readonly start: number; readonly options: readonly string[] }
  | {
      readonly start: number;
      readonly request: CompletionRequest;
      /** The value as it stands in the input; undefined: it cannot. */
      readonly write: (value: string) => string | undefined;
    };

/**
 * Completes an input up to the cursor: arguments of `/server:prompt`, parts of a resource's template after
 * `@server:`. undefined: nothing of a server.
 */
export function inputCompletion(
  before: string,
  prompts: readonly HostPrompt[],
  resources: readonly HostResource[],
): InputCompletion | undefined {
  return promptArgument(before, prompts) ?? templatePart(before, resources);
}

function promptArgument(before: string, prompts: readonly HostPrompt[]): InputCompletion | undefined {
  if (!before.startsWith('/')) return undefined;
  const prompt = prompts.find(({ server, name }) => /^\s/.test(afterName(before, `/${server}:${name}`)));
  if (prompt === undefined) return undefined;
  const { words, open } = wordsOf(before);
  const start = before.length - open.raw.length;
  const given = new Map(words.slice(1).map(keyAndValue));
  const at = open.text.indexOf('=');
  if (at <= 0) {
    const options = prompt.arguments
      .filter(({ name }) => !given.has(name) && name.startsWith(open.text))
      .map(({ name }) => `${name}=`);
    return options.length === 0 ? undefined : { start, options };
  }
  const [name, value] = keyAndValue(open.text);
  if (!prompt.arguments.some(argument => argument.name === name)) return undefined;
  return {
    start: start + open.raw.indexOf('=') + 1,
    request: {
      server: prompt.server,
      ref: { type: 'ref/prompt', name: prompt.name },
      argument: { name, value },
      context: Object.fromEntries(given),
    },
    write: quotedValue,
  };
}

const afterName = (text: string, name: string): string =>
  text.startsWith(name) ? text.slice(name.length) : '';

const keyAndValue = (word: string): [string, string] => {
  const at = word.indexOf('=');
  return at < 0 ? [word, ''] : [word.slice(0, at), word.slice(at + 1)];
};

function quotedValue(value: string): string | undefined {
  if (/[\n\r]/.test(value)) return undefined;
  return /^[^\s"'\\]+$/.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`;
}

interface OpenWord {
  /** As it is typed, and without its quotes. */
  readonly raw: string;
  readonly text: string;
}

/** The finished words, and the one at the cursor, by the same rules as `splitWords`. */
function wordsOf(before: string): { words: string[]; open: OpenWord } {
  const words: string[] = [];
  let [text, begun, quote] = ['', 0, ''];
  for (let index = 0; index < before.length; index++) {
    const char = before[index] as string;
    if (char === '\\' && quote !== "'" && /["'\\\s]/.test(before[index + 1] ?? '')) text += before[++index];
    else if (quote !== '' ? char === quote : char === '"' || char === "'") quote = quote === '' ? char : '';
    else if (quote === '' && /\s/.test(char)) {
      if (begun < index) words.push(text);
      [text, begun] = ['', index + 1];
    } else text += char;
  }
  return { words, open: { raw: before.slice(begun), text } };
}

/** Longer templates are not taken apart. */
const MAX_PARTS = 16;

function templatePart(before: string, resources: readonly HostResource[]): InputCompletion | undefined {
  const typed = /(?:^|[\s([{])@(\S*)$/.exec(before)?.[1];
  if (typed === undefined) return undefined;
  for (const { server, uri, template } of resources) {
    if (!template || !typed.startsWith(`${server}:`)) continue;
    const found = openVariable(uri, typed.slice(server.length + 1));
    if (found === undefined) continue;
    const { name, value, context, reserved } = found;
    return {
      start: before.length - value.length,
      request: {
        server,
        ref: { type: 'ref/resource', uri },
        argument: { name, value: decoded(value) },
        context,
      },
      write: option => {
        const text = reserved ? encodeURI(option.toWellFormed()) : encodeURIComponent(option.toWellFormed());
        return text === '' ? undefined : text;
      },
    };
  }
  return undefined;
}

/** The variable of a template (`{name}`, `{+name}`) at which a URI that is being typed ends. */
function openVariable(template: string, typed: string) {
  const parts = template.split(/\{(\+?[\w.-]+)\}/);
  // Other expressions of RFC 6570 stay literal here and fit nothing that is typed.
  if (parts.length > 2 * MAX_PARTS) return undefined;
  const context: Record<string, string> = {};
  let rest = typed;
  for (let at = 0; at < parts.length; at += 2) {
    const literal = parts[at] as string;
    if (!rest.startsWith(literal)) return undefined;
    rest = rest.slice(literal.length);
    const variable = parts[at + 1];
    if (variable === undefined) return undefined;
    const [reserved, name] = [variable.startsWith('+'), variable.replace('+', '')];
    const next = parts[at + 2] ?? '';
    const end = next === '' ? -1 : rest.indexOf(next);
    if (end < 0)
      return reserved || !rest.includes('/') ? { name, value: rest, context, reserved } : undefined;
    context[name] = decoded(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that is no escape.
    return text;
  }
}
