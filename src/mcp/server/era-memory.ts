import { createHash } from 'node:crypto';
import { messageOf } from '../../errors.ts';
import { readOwnFile, writeOwnFile } from '../../text/files/own-file.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';
import type { ServerConfig } from '../config/types.ts';

/** The oldest entries are forgotten above this. */
const MAX_SERVERS = 500;

/**
 * Which servers were found to speak the older era of the protocol only, so that no start asks them again. Kept in a JSON
 * file of this user; without one, for as long as the program runs. A file that is damaged counts as empty: the question is
 * asked once more.
 */
export class EraMemory {
  readonly #path: string | undefined;
  readonly #onWarning: (message: string) => void;
  #kept: Map<string, string> | undefined;

  constructor(path?: string, onWarning: (message: string) => void = () => undefined) {
    this.#path = path;
    this.#onWarning = onWarning;
  }

  isLegacy(config: ServerConfig): boolean {
    return this.#servers().has(fingerprint(config));
  }

  /**
   * Takes down what a start has shown. `identity` is the name and version that the server gives itself: with another one it
   * is asked at its next start again.
   */
  note(config: ServerConfig, era: 'legacy' | 'modern', identity: string): void {
    const servers = this.#servers();
    const key = fingerprint(config);
    const before = servers.get(key);
    const isNew = before !== undefined && before !== identity;
    if (era === 'modern' || isNew ? !servers.delete(key) : before === identity) return;
    if (era === 'legacy' && !isNew) servers.set(key, identity);
    this.#write(servers);
  }

  /** It is asked at its next start again. */
  forget(config: ServerConfig): void {
    const servers = this.#servers();
    if (servers.delete(fingerprint(config))) this.#write(servers);
  }

  #servers(): Map<string, string> {
    this.#kept ??= this.#read();
    return this.#kept;
  }

  #read(): Map<string, string> {
    if (this.#path === undefined) return new Map();
    try {
      const text = readOwnFile(this.#path);
      const value: unknown = text === undefined ? {} : JSON.parse(text);
      const legacy = isPlainObject(value) && isPlainObject(value.legacy) ? value.legacy : {};
      return new Map(
        Object.entries(legacy).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      );
    } catch (error) {
      this.#onWarning(`${this.#path} is ignored and will be replaced: ${messageOf(error)}`);
      return new Map();
    }
  }

  #write(servers: Map<string, string>): void {
    if (this.#path === undefined) return;
    const legacy = Object.fromEntries([...servers].slice(-MAX_SERVERS));
    try {
      writeOwnFile(this.#path, `${JSON.stringify({ legacy }, null, 1)}\n`);
    } catch (error) {
      this.#onWarning(`${this.#path} cannot be written: ${messageOf(error)}`);
    }
  }
}

/** Changes with what is started or asked, not with how it is used. */
function fingerprint(config: ServerConfig): string {
  const parts =
    config.transport === 'stdio' ? [config.command, config.args, config.cwd] : [config.transport, config.url];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
