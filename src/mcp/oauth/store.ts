import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client';
import { makeFolder } from '../../text/files/make-folder.ts';
import { readTextFile } from '../../text/files/read-text-file.ts';

const MAX_BYTES = 1024 * 1024;

/** The stored state of a login. */
export interface StoredLogin {
  readonly serverUrl: string;
  readonly tokens?: StoredOAuthTokens;
  readonly client?: StoredOAuthClientInformation;
}

/**
 * The logins of HTTP servers: a folder (0700) with a file (0600) per server URL. An unreadable file counts as no
 * login. Writes are atomic, so two programs can run at once.
 */
export class OAuthStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  load(serverUrl: string): StoredLogin {
    try {
      const stored = JSON.parse(readTextFile(this.#path(serverUrl), MAX_BYTES)) as StoredLogin;
      return stored.serverUrl === serverUrl ? stored : { serverUrl };
    } catch {
      // Missing or broken: the user logs in again.
      return { serverUrl };
    }
  }

  /** Throws Node's own error if the folder is not writable. */
  save(login: StoredLogin): void {
    makeFolder(this.#folder, 0o700);
    const path = this.#path(login.serverUrl);
    const temporary = `${path}.${randomUUID()}.tmp`;
    writeFileSync(temporary, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    // The umask can only narrow the mode above; file systems without modes ignore both.
    chmodSync(temporary, 0o600);
    renameSync(temporary, path);
  }

  forget(serverUrl: string): void {
    rmSync(this.#path(serverUrl), { force: true });
  }

  #path(serverUrl: string): string {
    const key = createHash('sha256').update(serverUrl).digest('hex').slice(0, 32);
    return join(this.#folder, `${key}.json`);
  }
}
