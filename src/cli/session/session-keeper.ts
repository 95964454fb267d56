import { messageOf } from '../../errors.ts';
import type { Log } from '../../run/log.ts';
import { type SavedSession, type SessionFolder, writeSession } from './saved-sessions.ts';

export interface SessionKeeperParts {
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
