import type { Argv } from 'yargs';
import { LlmHostError } from '../../errors.ts';
import { quoted } from '../../text/clean/visible.ts';

/** Empty means something: no system prompt, what stdin brings, the latest conversation. */
const MAY_BE_EMPTY = ['system', 'prompt', 'resume'];

/** A command's options as yargs knows them. */
interface Declared {
  readonly key: Readonly<Record<string, unknown>>;
  readonly boolean: readonly string[];
  readonly array: readonly string[];
  readonly alias: Readonly<Record<string, readonly string[]>>;
}

interface Given {
  readonly name: string;
  /** As the user wrote it, without `=` and what follows. */
  readonly written: string;
  readonly negated: boolean;
  /** After `=`. */
  readonly attached: string | undefined;
}

/**
 * Refuses what yargs would hand to the command as another type than it expects: a flag that is neither true nor false, and a
 * value that is switched off, empty or given twice. Returns the values by their options. Throws LlmHostError USAGE.
 */
export function checkOptionValues(
  argv: readonly string[],
  parser: Argv,
): ReadonlyMap<string, string | undefined> {
  const declared = (parser as unknown as { getOptions(): Declared }).getOptions();
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  const values = new Map<string, string | undefined>();
  for (const [index, word] of words.entries()) {
    const given = readOption(word, declared);
    if (given === undefined) continue;
    const { name, written, attached } = given;
    if (declared.boolean.includes(name)) {
      checkFlag(given);
      continue;
    }
    checkNegation(given, parser);
    const value = attached ?? words[index + 1];
    // yargs makes an option of the `=` in `-p=`.
    const isEmpty =
      value === '' && (!MAY_BE_EMPTY.includes(name) || (word === `${written}=` && !word.startsWith('--')));
    if (isEmpty) throw new LlmHostError('USAGE', `${written} is empty, and needs a value`);
    if (values.has(name) && !declared.array.includes(name))
      throw new LlmHostError('USAGE', `--${name} was given twice`);
    values.set(name, value);
  }
  return values;
}

/** An option that the command has, under its main name; undefined: another word. */
function readOption(word: string, { key, alias }: Declared): Given | undefined {
  const [, written = '', attached] = /^(--[^=]+|-[^-=])(?:=([\s\S]*))?$/.exec(word) ?? [];
  const name = written.replace(/^--?/, '');
  const nameOf = (typed: string): string | undefined => {
    const known = [typed, kebab(typed)].find(one => Object.hasOwn(key, one));
    const main = Object.keys(alias).find(one => known !== undefined && alias[one]?.includes(known));
    return main !== undefined && main.length > 1 && Object.hasOwn(key, main) ? main : known;
  };
  const plain = nameOf(name);
  if (plain !== undefined) return { name: plain, written, attached, negated: false };
  const off = name.startsWith('no-') ? nameOf(name.slice('no-'.length)) : undefined;
  return off === undefined ? undefined : { name: off, written, attached, negated: true };
}

/** yargs takes any text but `true` for false. */
function checkFlag({ written, attached }: Given): void {
  if (attached === undefined || attached === 'true' || attached === 'false') return;
  throw new LlmHostError('USAGE', `${written} must be true or false, got ${quoted(attached)}`);
}

/** Only the help of an option says whether it can be switched off. */
function checkNegation({ name, negated, written }: Given, parser: Argv): void {
  if (!negated) return;
  const { getInternalMethods } = parser as unknown as {
    getInternalMethods(): { getUsageInstance(): { getDescriptions(): Readonly<Record<string, string>> } };
  };
  const help = getInternalMethods.call(parser).getUsageInstance().getDescriptions()[name];
  if (help?.includes(`--no-${name}:`)) return;
  throw new LlmHostError(
    'USAGE',
    `${written}: --${name} takes a value and cannot be switched off; leave it out`,
  );
}

/** yargs also takes `--repetitionGuard`. */
const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
