import { readdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { LlmHostError, messageOf } from '../../errors.ts';
import { byteSize } from '../../text/byte-size.ts';
import { stripControls } from '../../text/clean/strip-controls.ts';
import { stripInvisible } from '../../text/clean/strip-invisible.ts';
import { quoted } from '../../text/clean/visible.ts';
import { fileKind } from '../../text/files/file-kind.ts';
import { decodeText, readStart } from '../../text/files/read-text-file.ts';
import { nearest } from '../../text/nearest.ts';
import { type FileReference, fileReferences } from './file-references.ts';

export interface AttachOptions {
  readonly cwd: string;
  /** Names of MCP servers: `@name:...` is a resource of theirs. */
  readonly servers: readonly string[];
  /** Tokens the model can hold. */
  readonly contextLength: number;
}

export interface Attached {
  /** Follows the prompt; empty without files. */
  readonly text: string;
  readonly notices: readonly string[];
}

const MAX_FILES = 20;
/** Characters of all files together per token of context: half of it for English, at about four characters a token. */
const CHARS_PER_TOKEN = 2;
const PLAIN = 'Write \\@ for an at sign that names no file.';

/**
 * Reads the files that a prompt names as `@path`, each once. What names none stays text. Throws LlmHostError USAGE, before
 * anything is sent, for a folder, a device, a file that is not text, and a path that can only be one and is missing.
 */
export function attachFiles(prompt: string, options: AttachOptions): Attached {
  const notices: string[] = [];
  const found = new Map<string, FoundFile>();
  for (const reference of fileReferences(prompt, options.servers)) {
    const file = findFile(reference, options.cwd);
    if (file) found.set(file.real, file);
    else notices.push(...missing(reference, options.cwd));
  }
  if (found.size > MAX_FILES)
    throw new LlmHostError(
      'USAGE',
      `a prompt takes at most ${MAX_FILES} files, this one names ${found.size}`,
    );
  let room = options.contextLength * CHARS_PER_TOKEN;
  const texts: string[] = [];
  // The smallest first: what they leave of their share goes to the larger ones.
  const bySize = [...found.values()].sort((a, b) => a.size - b.size);
  bySize.forEach((file, index) => {
    const read = readFile(file, Math.floor(room / (bySize.length - index)));
    room -= read.text.length;
    texts.push(`File ${file.name}:\n${fenced(read.text)}`);
    notices.push(read.notice);
  });
  return { text: texts.join('\n\n'), notices };
}

interface FoundFile {
  /** As typed, without the at sign. */
  readonly name: string;
  readonly path: string;
  readonly real: string;
  /** Bytes. */
  readonly size: number;
}

function findFile({ paths, shown }: FileReference, cwd: string): FoundFile | undefined {
  for (const name of paths) {
    const path = name.startsWith('~/') ? join(homedir(), name.slice(2)) : resolve(cwd, name);
    const stat = statOf(path, shown);
    if (!stat) continue;
    if (stat.isDirectory())
      throw new LlmHostError('USAGE', `${quoted(shown)} is a folder`, {
        hint: `Name the files in it that the model should read. ${PLAIN}`,
      });
    if (!stat.isFile())
      throw new LlmHostError('USAGE', `${quoted(shown)} is not a file but a device, a pipe or a socket`);
    return { name, path, real: realpathSync(path), size: stat.size };
  }
  return undefined;
}

function statOf(path: string, shown: string) {
  try {
    return statSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'].includes(code ?? '')) return undefined;
    throw new LlmHostError('USAGE', `${quoted(shown)} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** A path that names nothing: an error if it can be nothing else, a notice if it looks like one. */
function missing({ shown, explicit, paths }: FileReference, cwd: string): string[] {
  const path = paths.at(-1) ?? '';
  const near = nearestFile(path, cwd);
  const guess = near === undefined ? '' : ` Did you mean @${near}?`;
  if (explicit) throw new LlmHostError('USAGE', `${quoted(shown)} does not exist.${guess}`, { hint: PLAIN });
  if (!/\.\w{1,8}$/.test(path)) return [];
  return [`${quoted(shown)} names no file in ${cwd} and stays text.${guess}`];
}

function readFile({ name, path, real, size }: FoundFile, room: number): { text: string; notice: string } {
  const { bytes, size: whole } = start(path, name, room);
  const kind = fileKind(bytes);
  if (kind === 'image')
    throw new LlmHostError('USAGE', `${quoted(name)} is an image: this model reads no images`);
  if (kind !== undefined)
    throw new LlmHostError(
      'USAGE',
      `${quoted(name)} is not text but ${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`,
      {
        hint: kind === 'PDF' ? 'Convert it with pdftotext.' : PLAIN,
      },
    );
  const unicode = decodeText(bytes, { cut: whole > bytes.length });
  const clean = cleanText(unicode ?? new TextDecoder('windows-1252').decode(bytes));
  const text = cutAt(clean, room);
  const isWhole = text.length === clean.length && whole === bytes.length;
  const amount = isWhole
    ? `${lineCount(text)}, ${byteSize(Math.max(size, whole))}`
    : `the first ${text.length} characters of ${byteSize(whole)}; the rest does not fit the context`;
  const remarks = [
    amount,
    ...(unicode === undefined ? ['read as Windows-1252, since it is not UTF-8'] : []),
    ...(real === path || isInside(real, path) ? [] : [`a link to ${quoted(real)}`]),
  ];
  return {
    text: isWhole ? text : `${text}\n[... the rest of the file was left out]`,
    notice: `Attached ${quoted(name)}: ${remarks.join(', ')}.`,
  };
}

/** Enough bytes for `room` characters of any alphabet. */
function start(path: string, name: string, room: number) {
  try {
    return readStart(path, Math.max(1024, room * 4));
  } catch (error) {
    throw new LlmHostError('USAGE', `${quoted(name)}: ${messageOf(error)}`, { cause: error });
  }
}

/** A link that stays in its folder, such as `latest.log`, needs no remark. */
function isInside(real: string, path: string): boolean {
  const folder = path.slice(0, path.lastIndexOf(sep) + 1);
  return real.startsWith(realpathSync(folder) + sep);
}

/** Removes what people do not see: terminal sequences, carriage returns, hidden characters. */
function cleanText(text: string): string {
  return stripInvisible(stripControls(text.replaceAll(/\r\n?/g, '\n')));
}

/** Cut after a line where that loses little. */
function cutAt(text: string, room: number): string {
  if (text.length <= room) return text;
  const cut = text.slice(0, room);
  const line = cut.lastIndexOf('\n');
  return line > room / 2 ? cut.slice(0, line) : cut.toWellFormed().replace(/\uFFFD$/, '');
}

function lineCount(text: string): string {
  const count = text === '' ? 0 : text.trimEnd().split('\n').length;
  return count === 1 ? '1 line' : `${count} lines`;
}

/** In a fence longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map(run => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.trimEnd()}\n${fence}`;
}

/** Entries that are compared: a mistyped name is not worth more time. */
const MAX_ENTRIES = 2000;

/** The entry of the path's own folder with the most similar name, as it would be typed. */
function nearestFile(path: string, cwd: string): string | undefined {
  const folder = dirname(path);
  try {
    const names = readdirSync(resolve(cwd, folder)).slice(0, MAX_ENTRIES);
    const found = nearest(basename(path), names);
    return found === undefined ? undefined : folder === '.' ? found : join(folder, found);
  } catch {
    return undefined; // the folder is missing too
  }
}
