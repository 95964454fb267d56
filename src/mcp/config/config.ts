import { homedir } from 'node:os';
import { entryFailure, type McpDocument, parseMcpFile, type ServerEntry } from './document.ts';
import { resolveEntry, textsOf } from './resolve.ts';
import type { ServerConfig } from './types.ts';
import { expandVariables, type VariableScope } from './variables.ts';

export type { HttpServerConfig, ServerConfig, StdioServerConfig } from './types.ts';

/** The contents of an mcp.json. A broken entry never hides the others. */
export interface McpConfig {
  readonly servers: readonly ServerConfig[];
  /** Names of disabled entries. */
  readonly disabled: readonly string[];
  /** The disabled entries that could be enabled as they are. */
  readonly switchedOff: readonly ServerConfig[];
  /** Unusable entries: `mcp.json:12:5: server 'x': <what>`, with the accepted shape on a second line. */
  readonly failures: readonly { readonly name: string; readonly error: string }[];
  /** Full lines with file, line and column. */
  readonly warnings: readonly string[];
  /** Values of variables, inputs and headers that must not appear in a log. */
  readonly secrets: readonly string[];
}

/**
 * Parses an mcp.json (see parseMcpFile for its shapes) and expands its variables. `file` is for messages; its folder
 * (or the parent of `.vscode`) is `${workspaceFolder}` unless `scope` says otherwise. Inputs have no value unless
 * `scope.input` provides it. Throws LlmHostError CONFIG if the file is not JSON.
 */
export function loadMcpConfig(text: string, file: string, scope: Partial<VariableScope> = {}): McpConfig {
  return resolveDocument(parseMcpFile({ path: file, text }), scope);
}

/** Expands the variables of a document. Never throws: an error disables one server. */
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
      // A missing input or variable does not matter while the entry is disabled.
      return [];
    }
  });
  for (const entry of document.entries) {
    try {
      const resolved = resolveEntry(entry, { scope: whole, userFile });
      servers.push(placed(resolved.config, entry));
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

/** A fault of an address may show only when it is used. */
function placed(config: ServerConfig, { locate }: ServerEntry): ServerConfig {
  return config.transport === 'stdio' ? config : { ...config, where: locate() };
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
      // Reported, with its position, when the entry is resolved.
    }
  }
  return [...ids];
}
