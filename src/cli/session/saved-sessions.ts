import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseHistory } from '../../chat/history.ts';
import type { Message } from '../../chat/message.ts';
import { LlmHostError, messageOf } from '../../errors.ts';

/** A conversation as it is kept in a file. */
export interface SavedSession {
  readonly version: 1;
  readonly model: string;
  /** ISO 8601. */
  readonly created: string;
  readonly updated: string;
  readonly messages: readonly Message[];
}

export interface SessionSummary {
  readonly path: string;
  readonly updated: string;
  readonly model: string;
  /** The first prompt, on one line. */
  readonly title: string;
}

/** Of the files; a newer program may write what this one would lose. */
const VERSION = 1;
/** Sessions kept in the state folder; the oldest go first. */
const MAX_SESSIONS = 200;

/** Writes a session so that a reader sees the old file or the new one, never half of it; only its owner may read it. */
export function writeSession(path: string, session: SavedSession): void {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${JSON.stringify(session, undefined, 2)}\n`, { mode: 0o600 });
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
    // What kept it from being written is told; it is not there then.
  }
}

/** Reads what `writeSession` wrote, or a bare list of messages. Throws LlmHostError CONFIG. */
export function readSession(path: string): SavedSession {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new LlmHostError('CONFIG', `The session ${path} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
  return parseSession(text, path);
}

function parseSession(text: string, path: string): SavedSession {
  try {
    const value: unknown = JSON.parse(text);
    const fields = (Array.isArray(value) ? { messages: value } : (value ?? {})) as Partial<SavedSession>;
    if (typeof fields.version === 'number' && fields.version > VERSION) {
      throw new Error(`it is of version ${fields.version}, and this program reads up to ${VERSION}`);
    }
    const { messages } = parseHistory(JSON.stringify(fields.messages ?? null));
    const known = (field: unknown) => (typeof field === 'string' ? field : '');
    return {
      version: VERSION,
      model: known(fields.model),
      created: known(fields.created),
      updated: known(fields.updated),
      messages,
    };
  } catch (error) {
    throw new LlmHostError('CONFIG', `${path} is no saved session: ${messageOf(error)}`, { cause: error });
  }
}

/** The folder of sessions that are kept without being asked for. */
export class SessionFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** A file name for a session that starts now. */
  newFile(now: Date): string {
    return join(this.path, `${now.toISOString().replaceAll(/[:.]/g, '-')}-${process.pid}.json`);
  }

  /** Newest first; files that are no sessions are passed over. `words` must all occur in a session's text. */
  list(words = ''): SessionSummary[] {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    return this.#files().flatMap(path => {
      try {
        const { updated, model, messages } = readSession(path);
        const text = messages.map(message => message.content.toLowerCase()).join('\n');
        if (!wanted.every(word => text.includes(word))) return [];
        const title = messages.find(message => message.role === 'user')?.content ?? '';
        return [{ path, updated, model, title: title.replaceAll(/\s+/g, ' ').slice(0, 60) }];
      } catch {
        return []; // written by something else
      }
    });
  }

  /** Removes the oldest sessions beyond the limit. */
  prune(): void {
    for (const path of this.#files().slice(MAX_SESSIONS)) rmSync(path, { force: true });
  }

  #files(): string[] {
    try {
      const names = readdirSync(this.path).filter(name => name.endsWith('.json'));
      return names
        .sort()
        .reverse()
        .map(name => join(this.path, name));
    } catch {
      return []; // no session has been kept yet
    }
  }
}
