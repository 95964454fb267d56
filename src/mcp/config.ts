import { homedir } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { getNodeValue, type Node } from 'jsonc-parser';
import { LlmHostError, messageOf } from '../errors.ts';
import { parseJsonWithComments, positionAt } from '../text/json-with-comments.ts';
import { nearest } from '../text/nearest.ts';
import { isDisabled, KNOWN_KEYS, readServerEntry, type ServerConfig } from './config-entry.ts';
import type { VariableScope } from './config-variables.ts';

export type { ServerConfig } from './config-entry.ts';

/** What an mcp.json holds; one broken entry never hides the others. */
export interface McpConfig {
  readonly servers: readonly ServerConfig[];
  /** Names of the entries that are switched off. */
  readonly disabled: readonly string[];
  /** Entries that cannot be used: `mcp.json:12: server 'x': <what>`, and the accepted shapes. */
  readonly failures: readonly { readonly name: string; readonly error: string }[];
  /** Whole lines, with file and line. */
  readonly warnings: readonly string[];
}

const SERVER_KEYS = ['servers', 'mcpServers', 'mcp_servers'];
/** Top-level keys that are known and need no warning. */
const OTHER_KEYS = ['$schema', 'inputs', 'version'];

/**
 * Reads the text of an mcp.json: `servers` (VS Code; an object, or an array of entries with a `name`), `mcpServers` or
 * `mcp_servers`; several are merged. `file` is used for messages and, unless `scope` says otherwise, its folder (the
 * parent of `.vscode`) is `${workspaceFolder}`, which is also the default `cwd` of a server.
 * Throws LlmHostError CONFIG `Invalid JSON in mcp.json: <detail> at <line>:<column>`; anything less concerns one entry.
 */
export function loadMcpConfig(text: string, file: string, scope: Partial<VariableScope> = {}): McpConfig {
  const name = basename(file);
  const parsed = parseJsonWithComments(text);
  if (!parsed.ok) throw new LlmHostError('CONFIG', `Invalid JSON in ${name}: ${parsed.detail}`);
  if (parsed.root.type !== 'object') {
    const { line, column } = positionAt(text, parsed.root.offset);
    throw new LlmHostError('CONFIG', `Invalid JSON in ${name}: an object is expected at ${line}:${column}`);
  }
  return new ConfigReader(text, parsed.root, name, completeScope(file, scope)).read();
}

function completeScope(file: string, scope: Partial<VariableScope>): VariableScope {
  const folder = dirname(resolve(file));
  const workspaceFolder = basename(folder) === '.vscode' ? dirname(folder) : folder;
  return { env: process.env, workspaceFolder, userHome: homedir(), cwd: process.cwd(), ...scope };
}

class ConfigReader {
  readonly #text: string;
  readonly #root: Node;
  readonly #file: string;
  readonly #scope: VariableScope;
  readonly #names = new Set<string>();
  readonly #servers: ServerConfig[] = [];
  readonly #disabled: string[] = [];
  readonly #failures: { name: string; error: string }[] = [];
  readonly #warnings: string[] = [];

  constructor(text: string, root: Node, file: string, scope: VariableScope) {
    this.#text = text;
    this.#root = root;
    this.#file = file;
    this.#scope = scope;
  }

  read(): McpConfig {
    let found = false;
    for (const { key, value } of propertiesOf(this.#root)) {
      if (SERVER_KEYS.includes(key)) {
        found = true;
        this.#readServers(key, value);
      } else if (!OTHER_KEYS.includes(key)) {
        this.#warnings.push(`${this.#at(value)}: ${unknownKey(key, SERVER_KEYS)}`);
      }
    }
    if (!found) this.#warnings.push(`${this.#file}: no servers (expected one of ${SERVER_KEYS.join(', ')})`);
    return {
      servers: this.#servers,
      disabled: this.#disabled,
      failures: this.#failures,
      warnings: this.#warnings,
    };
  }

  #readServers(key: string, node: Node): void {
    if (node.type === 'object') {
      for (const { key: name, value } of propertiesOf(node)) this.#readEntry(name, value);
    } else if (node.type === 'array') {
      for (const [index, item] of (node.children ?? []).entries()) {
        const name = propertiesOf(item).find(property => property.key === 'name')?.value;
        this.#readEntry(typeof name?.value === 'string' ? name.value : `${key}[${index}]`, item);
      }
    } else {
      this.#failures.push({ name: key, error: `${this.#at(node)}: '${key}' must be an object or a list` });
    }
  }

  #readEntry(name: string, node: Node): void {
    if (this.#names.has(name)) {
      this.#warnings.push(
        `${this.#at(node)}: server '${name}' is defined twice; the first definition is used`,
      );
      return;
    }
    this.#names.add(name);
    try {
      if (name.trim() === '') throw new LlmHostError('CONFIG', 'the name is empty');
      if (node.type !== 'object') throw new LlmHostError('CONFIG', 'an object is expected');
      const entry = getNodeValue(node) as Record<string, unknown>;
      if (isDisabled(entry)) {
        this.#disabled.push(name);
        return;
      }
      this.#servers.push(readServerEntry(name, entry, this.#scope));
      this.#warnUnknownKeys(name, node);
    } catch (error) {
      const hint = error instanceof LlmHostError && error.hint !== undefined ? `\n${error.hint}` : '';
      this.#failures.push({ name, error: `${this.#at(node)}: server '${name}': ${messageOf(error)}${hint}` });
    }
  }

  #warnUnknownKeys(name: string, node: Node): void {
    for (const { key, value } of propertiesOf(node)) {
      if (KNOWN_KEYS.includes(key)) continue;
      this.#warnings.push(`${this.#at(value)}: server '${name}': ${unknownKey(key, KNOWN_KEYS)}`);
    }
  }

  #at(node: Node): string {
    return `${this.#file}:${positionAt(this.#text, node.offset).line}`;
  }
}

/** The properties of an object, in file order, duplicates included. */
function propertiesOf(node: Node): { key: string; value: Node }[] {
  const properties: { key: string; value: Node }[] = [];
  for (const property of node.type === 'object' ? (node.children ?? []) : []) {
    const [key, value] = property.children ?? [];
    if (key !== undefined && value !== undefined) properties.push({ key: String(key.value), value });
  }
  return properties;
}

function unknownKey(key: string, known: readonly string[]): string {
  const near = nearest(key, known);
  const advice = near === undefined ? `known: ${known.join(', ')}` : `did you mean '${near}'?`;
  return `unknown key '${key}' is ignored (${advice})`;
}
