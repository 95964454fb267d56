import { homedir } from 'node:os';
import { entryFailure, type McpDocument, parseMcpFile, type ServerEntry } from './document.ts';
import { resolveEntry, textsOf } from './resolve.ts';
import type { ServerConfig } from './types.ts';
import { expandVariables, type VariableScope } from './variables.ts';

export type { HttpServerConfig, ServerConfig, StdioServerConfig } from './types.ts';

/** What an mcp.json holds; one broken entry never hides the others. */
export interface McpConfig {
  readonly servers: readonly ServerConfig[];
  /** Names of the entries that are switched off. */
  readonly disabled: readonly string[];
  /** Those of them that need nothing more to be switched on. */
  readonly switchedOff: readonly ServerConfig[];
  /** Entries that cannot be used: `mcp.json:12:5: server 'x': <what>`, and the accepted shape on a second line. */
  readonly failures: readonly { readonly name: string; readonly error: string }[];
  /** Whole lines, with file, line and column. */
  readonly warnings: readonly string[];
  /** Values of variables, inputs and headers that may appear in no log. */
  readonly secrets: readonly string[];
}

/**
 * Reads the text of an mcp.json (see parseMcpFile for its shapes) and expands its variables. `file` is used for
 * messages and, unless `scope` says otherwise, its folder (the parent of `.vscode`) is `${workspaceFolder}`.
 * Inputs have no value unless `scope.input` gives it. Throws LlmHostError CONFIG for a file that is no JSON.
 */
export function loadMcpConfig(text: string, file: string, scope: Partial<VariableScope> = {}): McpConfig {
  return resolveDocument(parseMcpFile({ path: file, text }), scope);
}

/** Expands the variables of a document. Never throws: what is wrong disables one server. */
export function resolveDocument(document: McpDocument, scope: Partial<VariableScope> = {}): McpConfig {
  const whole: VariableScope = {
    env: process.env,
    workspaceFolder: document.workspaceFolder,
    userHome: homedir(),
    cwd: process.cwd(),
    input: id => {
      throw new Error(`input '${id}' has no value here`);
    },
    ...scope,
  };
  const servers: ServerConfig[] = [];
  const secrets: string[] = [];
  const failures = [...document.failures];
  const userFile = document.file.origin === undefined || document.file.origin === 'user';
  const switchedOff = document.switchedOff.flatMap(entry => {
    try {
      const resolved = resolveEntry(entry, { scope: whole, userFile });
      secrets.push(...resolved.secrets);
      return [resolved.config];
    } catch {
      // An input that was not asked for, a variable that is not set: nothing to say while it is off.
      return [];
    }
  });
  for (const entry of document.entries) {
    try {
      const resolved = resolveEntry(entry, { scope: whole, userFile });
      servers.push(resolved.config);
      secrets.push(...resolved.secrets);
    } catch (error) {
      failures.push({ name: entry.name, error: entryFailure(entry.name, error, entry.locate) });
    }
  }
  return {
    servers,
    disabled: document.disabled,
    switchedOff,
    failures,
    warnings: document.warnings,
    secrets,
  };
}

/** The ids of the inputs that the entries need, in file order. An input in an unused default is not needed. */
export function neededInputs(entries: readonly ServerEntry[], env: VariableScope['env']): string[] {
  const ids = new Set<string>();
  const scope: VariableScope = {
    env,
    workspaceFolder: '',
    userHome: '',
    cwd: '',
    input: id => {
      ids.add(id);
      return '';
    },
  };
  for (const { text } of entries.flatMap(entry => textsOf(entry.launch))) {
    try {
      expandVariables(text, scope);
    } catch {
      // Said, with its place, when the entry is resolved.
    }
  }
  return [...ids];
}
