import { messageOf } from '../../errors.ts';
import { readOwnFile, writeOwnFile } from '../../text/files/own-file.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';

/** A tool that the user allows for good, of one server and as it was defined then. */
export interface AllowedTool {
  readonly server: string;
  readonly tool: string;
  /** Digest of the server's command line or URL. */
  readonly launch: string;
  /** Digest of the tool's description, schemas and annotations. */
  readonly definition: string;
}

/**
 * The tools that the user has allowed for good: a JSON file that only its owner can write. One that others could have
 * written, or that is damaged, counts as empty; at worst a question is asked again.
 */
export class AllowedTools {
  readonly path: string;
  readonly warn: (message: string) => void;

  constructor(path: string, warn: (message: string) => void) {
    this.path = path;
    this.warn = warn;
  }

  list(): readonly AllowedTool[] {
    try {
      const text = readOwnFile(this.path);
      return text === undefined ? [] : parse(text);
    } catch (error) {
      this.warn(`${this.path} is ignored: ${messageOf(error)}`);
      return [];
    }
  }

  has(tool: AllowedTool): boolean {
    return this.list().some(one => isSame(one, tool) && one.definition === tool.definition);
  }

  /** Throws what the file system does. */
  add(tool: AllowedTool): void {
    this.#write([...this.list().filter(one => !isSame(one, tool)), tool]);
  }

  /** Removes every entry of this tool, of one server or of all; returns how many. Throws what the file system does. */
  remove(tool: string, server?: string): number {
    const before = this.list();
    const kept = before.filter(one => one.tool !== tool || (server !== undefined && one.server !== server));
    if (kept.length < before.length) this.#write(kept);
    return before.length - kept.length;
  }

  #write(allowed: readonly AllowedTool[]): void {
    writeOwnFile(this.path, `${JSON.stringify({ version: 1, allowed }, null, 2)}\n`);
  }
}

const isSame = (a: AllowedTool, b: AllowedTool): boolean =>
  a.server === b.server && a.tool === b.tool && a.launch === b.launch;

function parse(text: string): readonly AllowedTool[] {
  const value: unknown = JSON.parse(text);
  if (!isPlainObject(value) || value.version !== 1 || !Array.isArray(value.allowed)) {
    throw new Error('it has an unknown version');
  }
  const fields = ['server', 'tool', 'launch', 'definition'];
  return value.allowed.filter(one => isPlainObject(one) && fields.every(key => typeof one[key] === 'string'));
}
