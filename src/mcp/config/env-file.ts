import { readTextFile } from '../../text/files/read-text-file.ts';
import { EntryProblem, type Path } from './problem.ts';

const MAX_BYTES = 256 * 1024;
const LINE = /^(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.]*)[ \t]*=[ \t]*(.*)$/;

/**
 * Reads the `NAME=value` lines of an env file: comments, `export`, single and double quotes (`\n`, `\t`, `\"`, `\\`
 * in double ones). Variables in values are not expanded. `path`: where the entry names the file. Throws EntryProblem
 * if the file cannot be read, or with the number of a malformed line.
 */
export function readEnvFile(file: string, path: Path): Map<string, string> {
  let text: string;
  try {
    text = readTextFile(file, MAX_BYTES);
  } catch (error) {
    throw new EntryProblem(`'envFile': ${(error as Error).message}`, path, '"envFile": ".env"');
  }
  return parseEnvFile(text, file, path);
}

export function parseEnvFile(text: string, file: string, path: Path = []): Map<string, string> {
  const variables = new Map<string, string>();
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const [, name, raw] = LINE.exec(trimmed) ?? [];
    const value = raw === undefined ? undefined : unquote(raw);
    if (name === undefined || value === undefined || value.includes('\0')) {
      throw new EntryProblem(`${file}:${index + 1} is not NAME=value`, path, 'NAME=value, one a line');
    }
    variables.set(name, value);
  }
  return variables;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** undefined: an unclosed quote, or text after one. */
function unquote(raw: string): string | undefined {
  const double = /^"((?:[^"\\]|\\.)*)"[ \t]*(?:#.*)?$/.exec(raw)?.[1];
  if (double !== undefined)
    return double.replace(/\\(.)/g, (_, character: string) => ESCAPES[character] ?? character);
  const single = /^'([^']*)'[ \t]*(?:#.*)?$/.exec(raw)?.[1];
  if (single !== undefined) return single;
  if (/^["']/.test(raw)) return undefined;
  return raw.replace(/[ \t]+#.*$/, '').trimEnd();
}
