import { chmodSync, existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withoutReadingNotes } from '../../agent/results/kept-reading.ts';
import { parseHistory } from '../../chat/history.ts';
import type { Message } from '../../chat/message.ts';
import { LlmHostError, messageOf } from '../../errors.ts';
import type { Log } from '../../run/log.ts';
import { makeFolder } from '../../text/files/make-folder.ts';
import { readTextFile } from '../../text/files/read-text-file.ts';
import { isNestedDeeper } from '../../text/json/nesting.ts';

/** A conversation as saved in a file. */
export interface SavedSession {
  readonly version: 1;
  readonly model: string;
  /** ISO 8601. */
  readonly created: string;
  readonly updated: string;
  readonly messages: readonly Message[];
  /** Messages that summaries have replaced, in order; kept for reading, not sent to the model. */
  readonly summarized?: readonly Message[];
}

export interface SessionSummary {
  readonly path: string;
  readonly updated: string;
  readonly model: string;
  /** The first prompt, on one line. */
  readonly title: string;
}

/** The files' version; a newer program may write things this one would lose. */
const VERSION = 1;
/** Kept in the state folder of each kind; the oldest are removed first. */
const MAX_SESSIONS = 200;
/** How the name of a conversation of `-p` ends: there are many, and they are listed and counted apart from chats. */
const ONCE = '-once.json';
/** How the name of a draft ends, and after how long its writer is gone: it takes no second. */
const DRAFT = /\.json\.\d+\.tmp$/;
const DRAFT_MS = 3_600_000;
/** No chat gets near these; a file beyond them would only freeze the program. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_MESSAGES = 10_000;
const MAX_DEPTH = 100;
/** Characters of a title. */
const MAX_TITLE = 60;

/** Writes a session atomically; only its owner may read it. */
export function writeSession(path: string, session: SavedSession): void {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    // It would be replaced: with the rights for it, even /dev/null.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) throw new Error('it is not a file');
    makeFolder(dirname(path), 0o700);
    rmSync(draft, { force: true });
    writeFileSync(draft, `${JSON.stringify(session, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
    chmodSync(draft, 0o600);
    renameSync(draft, path);
  } catch (error) {
    discard(draft);
    throw new LlmHostError('CONFIG', `The session cannot be saved to ${path}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function discard(draft: string): void {
  try {
    rmSync(draft, { force: true });
  } catch {
    // The write error is reported; without a draft there is nothing to remove.
  }
}

/** Reads a file of `writeSession`, or a bare list of messages. Throws LlmHostError CONFIG. */
export function readSession(path: string): SavedSession {
  let text: string;
  try {
    text = readTextFile(path, MAX_FILE_BYTES);
  } catch (error) {
    throw new LlmHostError('CONFIG', `The session ${messageOf(error)}`, { cause: error });
  }
  return parseSession(text, path);
}

function parseSession(text: string, path: string): SavedSession {
  try {
    const value: unknown = JSON.parse(text);
    const fields = (Array.isArray(value) ? { messages: value } : (value ?? {})) as Partial<SavedSession>;
    if (typeof fields.version === 'number' && fields.version > VERSION) {
      throw new Error(`it has version ${fields.version}; this program reads up to ${VERSION}`);
    }
    if (Array.isArray(fields.messages) && fields.messages.length > MAX_MESSAGES) {
      throw new Error(`it has ${fields.messages.length} messages; at most ${MAX_MESSAGES} can be resumed`);
    }
    if (isNestedDeeper(fields, MAX_DEPTH)) throw new Error(`it is nested more than ${MAX_DEPTH} levels deep`);
    const { messages } = parseHistory(JSON.stringify(fields.messages ?? null));
    const { messages: summarized } = parseHistory(JSON.stringify(fields.summarized ?? []));
    const known = (field: unknown) => (typeof field === 'string' ? field : '');
    return {
      version: VERSION,
      model: known(fields.model),
      created: known(fields.created),
      updated: known(fields.updated),
      messages: withoutReadingNotes(messages),
      ...(summarized.length > 0 && { summarized }),
    };
  } catch (error) {
    throw new LlmHostError('CONFIG', `${path} is not a saved session: ${messageOf(error)}`, { cause: error });
  }
}

/** undefined: not a session, or without one of the words. */
function summaryOf(path: string, words: readonly string[]): SessionSummary | undefined {
  try {
    const { updated, model, messages: present, summarized = [] } = readSession(path);
    const messages = [...summarized, ...present];
    const text = messages.map(message => message.content.toLowerCase()).join('\n');
    if (!words.every(word => text.includes(word))) return undefined;
    const title = messages.find(message => message.role === 'user')?.content ?? '';
    return { path, updated, model, title: shortened(title) };
  } catch {
    return undefined; // written by something else
  }
}

function shortened(title: string): string {
  const characters = Array.from(title.replaceAll(/\s+/g, ' ').trim());
  if (characters.length <= MAX_TITLE) return characters.join('');
  return `${characters.slice(0, MAX_TITLE - 1).join('')}…`;
}

/** The folder of automatically saved sessions. */
export class SessionFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** A file name for a session that starts now; `once`: of `-p`. */
  newFile(now: Date, once = false): string {
    const name = `${now.toISOString().replaceAll(/[:.]/g, '-')}-${process.pid}`;
    const path = join(this.path, `${name}${once ? ONCE : '.json'}`);
    // One that began in the same millisecond is not overwritten.
    return existsSync(path) ? this.newFile(new Date(now.getTime() + 1), once) : path;
  }

  /** The newest, be it a chat or of `-p`. */
  latest(): SessionSummary | undefined {
    for (const path of this.#files()) {
      const found = summaryOf(path, []);
      if (found) return found;
    }
    return undefined;
  }

  /** Chats, newest first; or with `words`, whatever has all of them in its text. Skips other files. */
  list(words = ''): SessionSummary[] {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const files = this.#files().filter(path => wanted.length > 0 || !path.endsWith(ONCE));
    return files.flatMap(path => summaryOf(path, wanted) ?? []);
  }

  /** Removes the oldest sessions of each kind beyond the limit, and drafts of processes that were killed. */
  prune(): void {
    const files = this.#files();
    for (const once of [false, true]) {
      const ofKind = files.filter(path => path.endsWith(ONCE) === once);
      for (const path of ofKind.slice(MAX_SESSIONS)) rmSync(path, { force: true });
    }
    for (const path of this.#named(name => DRAFT.test(name))) {
      const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
      if (written !== undefined && Date.now() - written > DRAFT_MS) rmSync(path, { force: true });
    }
  }

  #files(): string[] {
    return this.#named(name => name.endsWith('.json'));
  }

  /** The newest first. */
  #named(is: (name: string) => boolean): string[] {
    try {
      const names = readdirSync(this.path).filter(is);
      return names
        .sort()
        .reverse()
        .map(name => join(this.path, name));
    } catch {
      return []; // no session saved yet
    }
  }
}

/** Every word that was said, in order: a summary gives way to what it stands for. */
export function wholeConversation({ messages, summarized = [] }: SavedSession): readonly Message[] {
  if (summarized.length === 0) return messages;
  const start = messages.findIndex(({ role }) => role === 'user');
  const rest = messages.slice(start + 1);
  const next = rest.findIndex(({ role }) => role === 'user');
  return [...messages.slice(0, start), ...summarized, ...(next < 0 ? [] : rest.slice(next))];
}

/** `60 turns, the oldest 48 as a summary`. */
export function turnCount(session: SavedSession): string {
  const turns = countOf(wholeConversation(session));
  const old = countOf(session.summarized ?? []);
  const oldest = old === 0 ? '' : `, the oldest ${old === 1 ? 'one' : old} as a summary`;
  return `${turns} ${turns === 1 ? 'turn' : 'turns'}${oldest}`;
}

const countOf = (messages: readonly Message[]): number =>
  messages.filter(({ role }) => role === 'user').length;

interface SessionKeeperParts {
  /** Has the automatic copies. */
  readonly folder: SessionFolder;
  /** A conversation of `-p`. */
  readonly once: boolean;
  /** `--save`: written too. */
  readonly saveTo: string | undefined;
  readonly log: Log;
  readonly snapshot: () => SavedSession;
}

/** Keeps a conversation on disk as it stands: the automatic copy, and the file of `--save`. */
export class SessionKeeper {
  readonly #parts: SessionKeeperParts;
  #created = new Date();
  /** The automatic copy. */
  #file: string;
  #copyFailed = false;
  #problem: string | undefined;
  /** The file of `--save` has the conversation before this one. */
  #replaces = false;

  constructor(parts: SessionKeeperParts) {
    this.#parts = parts;
    this.#file = parts.folder.newFile(this.#created, parts.once);
  }

  /** When the conversation began. */
  get created(): Date {
    return this.#created;
  }

  /** Another conversation begins: the copy of the one before stays as it is, the file of `--save` until something is said. */
  begin(): void {
    const { folder, once } = this.#parts;
    this.#created = new Date();
    this.#file = folder.newFile(this.#created, once);
    this.#replaces = true;
  }

  /** The user asked for `--save`, so returns its problem, once per reason. */
  keep(): string | undefined {
    const { saveTo, snapshot } = this.#parts;
    this.#keepCopy();
    const before = this.#problem;
    const session = snapshot();
    this.#replaces &&= !session.messages.some(({ role }) => role === 'user');
    if (this.#replaces) return undefined;
    this.#problem = undefined;
    try {
      if (saveTo !== undefined) writeSession(saveTo, session);
    } catch (error) {
      this.#problem = messageOf(error);
    }
    return this.#problem === before ? undefined : this.#problem;
  }

  /** A failure of the automatic copy goes to the log, once; the conversation continues. */
  #keepCopy(): void {
    const { folder, log, snapshot } = this.#parts;
    try {
      writeSession(this.#file, snapshot());
      folder.prune();
    } catch (error) {
      if (!this.#copyFailed) log.logger.warn(messageOf(error));
      this.#copyFailed = true;
    }
  }
}
