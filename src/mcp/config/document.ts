import { basename, dirname, resolve } from 'node:path';
import type { Node } from 'jsonc-parser';
import { LlmHostError, messageOf } from '../../errors.ts';
import { quoted } from '../../text/clean/visible.ts';
import { parseJsonWithComments, positionAt } from '../../text/json/json-with-comments.ts';
import { jsonc } from '../../text/json/jsonc.ts';
import { nearest } from '../../text/nearest.ts';
import { type CheckedEntry, checkEntry, checkName, isDisabled } from './entry.ts';
import { type InputDefinition, readInputs } from './inputs.ts';
import { KNOWN_KEYS, NEUTRAL_KEYS, REFUSED_KEYS, SERVER_KEYS, TOP_KEYS } from './keys.ts';
import { EntryProblem, type Path } from './problem.ts';

/** The text of an mcp.json. */
export interface McpFile {
  readonly path: string;
  readonly text: string;
  /**
   * `project`: from the working directory, so written by the project's author. `foreign`: the user's, but for another
   * program, so its local addresses were not meant for this one. Default `user`.
   */
  readonly origin?: 'user' | 'project' | 'foreign';
  /** The file's name in messages. Default: its base name. */
  readonly label?: string;
}

export interface ServerEntry extends CheckedEntry {
  readonly name: string;
  /** `mcp.json:3:12`: the position of a value in this entry, or of the entry. */
  readonly locate: (path?: Path) => string;
}

/** An mcp.json, parsed and checked, with its variables not yet expanded. */
export interface McpDocument {
  readonly file: McpFile;
  /** The value of `${workspaceFolder}`; also the default `cwd` of a server. */
  readonly workspaceFolder: string;
  readonly entries: readonly ServerEntry[];
  readonly inputs: readonly InputDefinition[];
  /** Names of disabled entries. */
  readonly disabled: readonly string[];
  /** The disabled entries that could be enabled. */
  readonly switchedOff: readonly ServerEntry[];
  /** Unusable entries: `mcp.json:12:5: server 'x': <what>`, with the accepted shape on a second line. */
  readonly failures: readonly { readonly name: string; readonly error: string }[];
  /** Full lines with file, line and column. */
  readonly warnings: readonly string[];
}

const MAX_CHARS = 1024 * 1024;
const MAX_SERVERS = 256;
const MAX_WARNINGS = 30;

/**
 * Parses an mcp.json: `servers` (VS Code; an object, or an array of entries with a `name`), `mcpServers`,
 * `mcp_servers` or `mcp`; several are merged. Throws LlmHostError CONFIG `Invalid JSON in mcp.json: <detail> at
 * <line>:<column>`, or for more than 1 M characters; any other problem concerns one entry.
 */
export function parseMcpFile(file: McpFile): McpDocument {
  const name = basename(file.path);
  const refuse = (what: string) => new LlmHostError('CONFIG', what, { hint: `File: ${file.path}` });
  if (file.text.length > MAX_CHARS) {
    throw refuse(`${name} has ${file.text.length} characters; the limit is ${MAX_CHARS}`);
  }
  const parsed = parseJsonWithComments(file.text);
  if (!parsed.ok) throw refuse(`Invalid JSON in ${name}: ${parsed.detail}`);
  if (parsed.root.type !== 'object' && parsed.root.type !== 'array') {
    const { line, column } = positionAt(file.text, parsed.root.offset);
    throw refuse(`Invalid JSON in ${name}: an object or a list of servers is expected at ${line}:${column}`);
  }
  return new DocumentReader(file, parsed.root).read();
}

function workspaceOf(path: string): string {
  const folder = dirname(resolve(path));
  return basename(folder) === '.vscode' ? dirname(folder) : folder;
}

class DocumentReader {
  readonly #file: McpFile;
  readonly #root: Node;
  readonly #entries = new Map<string, ServerEntry | undefined>();
  readonly #inputs: InputDefinition[] = [];
  readonly #disabled: string[] = [];
  readonly #switchedOff: ServerEntry[] = [];
  readonly #failures: { name: string; error: string }[] = [];
  readonly #warnings: string[] = [];
  #unsaid = 0;

  constructor(file: McpFile, root: Node) {
    this.#file = file;
    this.#root = root;
  }

  read(): McpDocument {
    let found = this.#root.type === 'array';
    if (found) this.#readServers('servers', this.#root);
    for (const { key, keyNode, value } of propertiesOf(this.#root)) {
      if (SERVER_KEYS.includes(key)) {
        found = true;
        this.#readServers(key, value);
      } else if (key === 'inputs') {
        this.#inputs.push(...readInputs(value, node => this.#at(node), this.#warn));
      } else if (!TOP_KEYS.includes(key)) {
        this.#warn(keyNode, unknownKey(key, [...SERVER_KEYS, ...TOP_KEYS], SERVER_KEYS));
      }
    }
    if (!found) this.#warn(this.#root, `no servers (expected one of ${SERVER_KEYS.join(', ')})`);
    this.#warnAboutCase();
    if (this.#unsaid > 0) this.#warnings.push(`${this.#label}: ${this.#unsaid} more warnings`);
    return {
      file: this.#file,
      workspaceFolder: workspaceOf(this.#file.path),
      entries: [...this.#entries.values()].filter(entry => entry !== undefined),
      inputs: this.#inputs,
      disabled: this.#disabled,
      switchedOff: this.#switchedOff,
      failures: this.#failures,
      warnings: this.#warnings,
    };
  }

  #readServers(key: string, node: Node): void {
    const items =
      node.type === 'array'
        ? (node.children ?? []).map(item => ({ name: undefined, item }))
        : propertiesOf(node).map(({ key: name, value }) => ({ name, item: value }));
    if (node.type !== 'array' && node.type !== 'object') {
      const accepted = `accepted: "${key}": {"name": {...}} or "${key}": [{"name": "...", ...}]`;
      this.#failures.push({
        name: key,
        error: `${this.#at(node)}: '${key}' must be an object or a list\n${accepted}`,
      });
    }
    for (const { name, item } of items) {
      if (this.#entries.size >= MAX_SERVERS) {
        const error = `${this.#at(item)}: more than ${MAX_SERVERS} servers; these and the rest are left out`;
        this.#failures.push({ name: key, error });
        return;
      }
      this.#readEntry(name ?? this.#nameOf(item), item);
    }
  }

  /** In a list: the given name, else the host of the URL, else the program; made unique. */
  #nameOf(item: Node): string {
    const entry = jsonc().getNodeValue(item) as unknown;
    const text = (key: string): string | undefined => {
      const value =
        typeof entry === 'object' && entry !== null ? (entry as Record<string, unknown>)[key] : undefined;
      return typeof value === 'string' && value.trim() !== '' ? value : undefined;
    };
    const name = text('name');
    if (name !== undefined) return name;
    const url = text('url');
    const base = url && URL.canParse(url) ? new URL(url).hostname : basename(text('command') ?? 'server');
    let unique = base;
    for (let count = 2; this.#entries.has(unique); count++) unique = `${base}-${count}`;
    return unique;
  }

  #readEntry(name: string, node: Node): void {
    if (this.#entries.has(name)) {
      this.#warn(node, `server ${quoted(name)} is defined twice; the first definition is used`);
      return;
    }
    this.#entries.set(name, undefined);
    const locate = (path: Path = []): string => this.#at(findClosest(node, path));
    try {
      checkName(name);
      if (node.type !== 'object') throw new EntryProblem('an object is expected');
      const entry = jsonc().getNodeValue(node) as Readonly<Record<string, unknown>>;
      if (isDisabled(entry)) {
        this.#disabled.push(name);
        this.#keepSwitchedOff(name, entry, locate);
        return;
      }
      const warn = (message: string, path: Path): void =>
        this.#warn(findClosest(node, path), `server ${quoted(name)}: ${message}`);
      this.#warnAboutKeys(name, node);
      this.#entries.set(name, { ...checkEntry(name, entry, warn), name, locate });
    } catch (error) {
      this.#failures.push({ name, error: entryFailure(name, error, locate) });
    }
  }

  /** Problems in a disabled entry are not reported. */
  #keepSwitchedOff(
    name: string,
    entry: Readonly<Record<string, unknown>>,
    locate: ServerEntry['locate'],
  ): void {
    try {
      this.#switchedOff.push({ ...checkEntry(name, entry, () => {}), name, locate });
    } catch (error) {
      if (!(error instanceof EntryProblem)) throw error;
    }
  }

  #warnAboutKeys(name: string, node: Node): void {
    const seen = new Set<string>();
    for (const { key, keyNode } of propertiesOf(node)) {
      const known =
        KNOWN_KEYS.includes(key) || NEUTRAL_KEYS.includes(key) || Object.hasOwn(REFUSED_KEYS, key);
      if (!known)
        this.#warn(
          keyNode,
          `server ${quoted(name)}: ${unknownKey(key, KNOWN_KEYS, KNOWN_KEYS.slice(0, 12))}`,
        );
      if (seen.has(key))
        this.#warn(keyNode, `server ${quoted(name)}: ${quoted(key)} occurs twice; the last one is used`);
      seen.add(key);
    }
  }

  #warnAboutCase(): void {
    const first = new Map<string, string>();
    for (const name of this.#entries.keys()) {
      const folded = name.toLowerCase();
      const other = first.get(folded);
      if (other === undefined) first.set(folded, name);
      else this.#warn(this.#root, `the servers ${quoted(other)} and ${quoted(name)} differ only in case`);
    }
  }

  readonly #warn = (node: Node, message: string): void => {
    if (this.#warnings.length < MAX_WARNINGS) this.#warnings.push(`${this.#at(node)}: ${message}`);
    else this.#unsaid++;
  };

  get #label(): string {
    return this.#file.label ?? basename(this.#file.path);
  }

  #at(node: Node): string {
    const { line, column } = positionAt(this.#file.text, node.offset);
    return `${this.#label}:${line}:${column}`;
  }
}

/** The line that says what is wrong with an entry, with the accepted shape below it. */
export function entryFailure(name: string, error: unknown, locate: (path?: Path) => string): string {
  const [path, accepted] =
    error instanceof EntryProblem ? [error.path, `\naccepted: ${error.accepted}`] : [[], ''];
  return `${locate(path)}: server ${quoted(name)}: ${messageOf(error)}${accepted}`;
}

/** The value at a path inside an object, or the closest one around it. */
function findClosest(node: Node, path: Path): Node {
  for (let length = path.length; length > 0; length--) {
    const found = jsonc().findNodeAtLocation(node, path.slice(0, length));
    if (found) return found;
  }
  return node;
}

/** The properties of an object in file order, including duplicates. */
function propertiesOf(node: Node): { key: string; keyNode: Node; value: Node }[] {
  const properties: { key: string; keyNode: Node; value: Node }[] = [];
  for (const property of node.type === 'object' ? (node.children ?? []) : []) {
    const [keyNode, value] = property.children ?? [];
    if (keyNode !== undefined && value !== undefined) {
      properties.push({ key: String(keyNode.value), keyNode, value });
    }
  }
  return properties;
}

const MAX_GUESSED_CHARS = 64;

function unknownKey(key: string, known: readonly string[], shown: readonly string[]): string {
  const near = key.length > MAX_GUESSED_CHARS ? undefined : nearest(key, known);
  const advice = near === undefined ? `known: ${shown.join(', ')}` : `did you mean '${near}'?`;
  return `unknown key ${quoted(key)} is ignored (${advice})`;
}
