import { messageOf } from '../../errors.ts';
import { readOwnFile, writeOwnFile } from '../../text/files/own-file.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';

/** Fingerprints by name, such as the servers of one mcp file. */
export type Fingerprints = ReadonlyMap<string, string>;
type Section = 'launches' | 'tools';
type Content = Record<Section, Map<string, Map<string, string>>>;

const SECTIONS: readonly Section[] = ['launches', 'tools'];

/**
 * The user's consents: one JSON file that only its owner can read and write. A file that others could have
 * written, or that is damaged, counts as empty; at worst a question is asked again.
 */
export class TrustStore {
  readonly #path: string;
  readonly #onWarning: (message: string) => void;
  #warned = false;

  constructor(path: string, onWarning: (message: string) => void) {
    this.#path = path;
    this.#onWarning = onWarning;
  }

  get(section: Section, key: string): Fingerprints {
    return this.#read()[section].get(key) ?? new Map();
  }

  /** Adds fingerprints under a key, or `replace`s those there. Never throws. */
  set(section: Section, key: string, fingerprints: Fingerprints, { replace = false } = {}): void {
    const content = this.#read();
    const before = replace ? [] : (content[section].get(key) ?? []);
    content[section].set(key, new Map([...before, ...fingerprints]));
    try {
      this.#write(content);
    } catch (error) {
      this.#warn(`your answer cannot be saved in ${this.#path}: ${messageOf(error)}`);
    }
  }

  #read(): Content {
    const empty: Content = { launches: new Map(), tools: new Map() };
    try {
      const text = readOwnFile(this.#path);
      return text === undefined ? empty : parse(text);
    } catch (error) {
      this.#warn(`${this.#path} is ignored and will be replaced: ${messageOf(error)}`);
      return empty;
    }
  }

  #write(content: Content): void {
    const sections = SECTIONS.map(section => [
      section,
      Object.fromEntries([...content[section]].map(([key, map]) => [key, Object.fromEntries(map)])),
    ]);
    const text = JSON.stringify({ version: 1, ...Object.fromEntries(sections) }, null, 1);
    writeOwnFile(this.#path, `${text}\n`);
  }

  #warn(message: string): void {
    if (!this.#warned) this.#onWarning(message);
    this.#warned = true;
  }
}

function parse(text: string): Content {
  const value: unknown = JSON.parse(text);
  if (!isPlainObject(value) || value.version !== 1) throw new Error('it has an unknown version');
  const section = (name: Section) =>
    new Map(entriesOf(value[name]).map(([key, map]) => [key, new Map(entriesOf(map).filter(isFingerprint))]));
  return { launches: section('launches'), tools: section('tools') };
}

function entriesOf(value: unknown): [string, unknown][] {
  return isPlainObject(value) ? Object.entries(value) : [];
}

function isFingerprint(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string';
}
