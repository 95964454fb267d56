/** Completions: each option replaces the text from `start` to the cursor. */
export interface Completion {
  readonly start: number;
  readonly options: readonly string[];
  /** More may follow an option, so no space does. */
  readonly open?: boolean;
}

export interface Candidates {
  /** Without the slash. A server's prompts are `server:prompt`. */
  readonly commands: readonly string[];
  readonly tools: readonly string[];
  /** Without the at sign. */
  readonly resources: readonly string[];
  /** Paths that go on as typed, without the at sign; a folder ends with a slash. */
  readonly files?: (typed: string) => readonly string[];
  /** The arguments of a server's prompt, from the text before the cursor. */
  readonly promptArguments?: (before: string) => Completion | undefined;
  /** Descriptions by an option's text: `/help`, `@server:uri`, a tool's name. */
  readonly about?: ReadonlyMap<string, string>;
}

/** Whether a `/command`, its arguments or an `@resource` is being typed: its completions are shown unasked. */
export function completesUnasked(text: string, cursor: number): boolean {
  const before = text.slice(0, cursor);
  return /^\/\S*$/.test(before) || PROMPT.test(before) || atWord(before) !== undefined;
}

/** `/server:prompt `, and what follows. */
const PROMPT = /^\/[^\s:]+:\S+\s/;

/** The text after the `@` of the word being typed, which may be a quoted path. */
function atWord(before: string): string | undefined {
  return /(?:^|[\s([{])@("[^"\n]*|'[^'\n]*|\S*)$/.exec(before)?.[1];
}

/** Completes `/commands` at the start and the arguments of a server's prompt, `@resources` and `@files` anywhere, and tool names of which two letters are typed. */
export function complete(text: string, cursor: number, candidates: Candidates): Completion | undefined {
  const before = text.slice(0, cursor);
  const command = /^\/(\S*)$/.exec(before)?.[1];
  if (command !== undefined) return matching(candidates.commands, command, 0, '/');
  const reference = atWord(before);
  if (reference !== undefined) return references(reference, cursor - reference.length - 1, candidates);
  if (PROMPT.test(before)) return candidates.promptArguments?.(before);
  const word = /\S*$/.exec(before)?.[0] ?? '';
  const start = cursor - word.length;
  return word.length < 2 ? undefined : matching(candidates.tools, word, start, '');
}

function references(typed: string, start: number, { resources, files }: Candidates): Completion | undefined {
  const named = matching(resources, typed, start, '@')?.options ?? [];
  const paths = files?.(typed.replace(/^["']/, '')) ?? [];
  const options = [...named, ...paths.map(path => `@${asTyped(path)}`)];
  return options.length === 0 ? undefined : { start, options };
}

/** In quotes that the path does not hold, if it needs some. Those of a folder stay open: a name in it follows. */
function asTyped(path: string): string {
  if (!/\s|^["']/.test(path)) return path;
  const quote = path.includes('"') ? "'" : '"';
  return path.endsWith('/') ? quote + path : quote + path + quote;
}

function matching(
  names: readonly string[],
  typed: string,
  start: number,
  prefix: string,
): Completion | undefined {
  const wanted = typed.toLowerCase();
  const found = names.filter(name => name.toLowerCase().startsWith(wanted));
  return found.length === 0 ? undefined : { start, options: found.map(name => prefix + name) };
}
