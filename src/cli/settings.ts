import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { LlmHostError, messageOf } from '../errors.ts';
import { parseJsonWithComments } from '../text/json-with-comments.ts';
import type { ChatArguments } from './chat-options.ts';
import { type AppConfig, readConfigFile } from './config-file.ts';
import { DEMO_CONFIG } from './demo.ts';
import { findFile, missingFile } from './lookup.ts';

export interface McpFile {
  readonly path: string;
  readonly text: string;
}

/** What the two configuration files say, found and read. */
export interface Settings {
  readonly config: AppConfig;
  /** undefined: none (--no-mcp), or the demo's own servers when `demo` is set. */
  readonly mcpFiles: readonly McpFile[] | undefined;
  readonly warnings: readonly string[];
}

/**
 * Finds and reads config.json and mcp.json. A file given to --config that holds servers is an mcp file. `demo`
 * needs neither: it brings its own for whichever is not found. Throws LlmHostError CONFIG.
 */
export function loadSettings(
  args: ChatArguments,
  demo: boolean,
  where: { cwd: string; env: NodeJS.ProcessEnv },
): Settings {
  const given = (args.config ?? []).map(path => readGiven(path, where.cwd));
  const mcpGiven = args.mcp === false ? [] : readMcpFiles(args.mcp ?? [], where.cwd);
  const configs = given.filter(file => !holdsServers(file.text));
  const mcpFiles = [...given.filter(file => holdsServers(file.text)), ...mcpGiven];
  const { config, warnings } = readConfigs(configs, demo, where);
  return { config, warnings, mcpFiles: args.mcp === false ? undefined : findMcp(mcpFiles, demo, where) };
}

/** Files that the user named. Throws LlmHostError CONFIG for one that cannot be read. */
export function readMcpFiles(paths: readonly string[], cwd: string): McpFile[] {
  return paths.map(path => readGiven(path, cwd));
}

function readConfigs(
  given: readonly McpFile[],
  demo: boolean,
  where: { cwd: string; env: NodeJS.ProcessEnv },
) {
  const found = findFile('config.json', where);
  const paths = given.length > 0 ? given.map(file => file.path) : found.path ? [found.path] : [];
  if (paths.length === 0) {
    if (demo) return { config: DEMO_CONFIG, warnings: [] };
    throw missingFile('config.json', found.searched);
  }
  const read = paths.map(readConfigFile);
  // The last file given wins, field by field.
  const config = Object.assign({}, ...read.map(one => one.config)) as AppConfig;
  return { config, warnings: read.flatMap(one => one.warnings) };
}

function findMcp(given: readonly McpFile[], demo: boolean, where: { cwd: string; env: NodeJS.ProcessEnv }) {
  if (given.length > 0) return given;
  const found = findFile('mcp.json', where);
  if (found.path) return [{ path: found.path, text: readText(found.path) }];
  if (demo) return undefined;
  throw missingFile('mcp.json', found.searched);
}

function readGiven(path: string, cwd: string): McpFile {
  const full = resolve(cwd, path);
  if (!existsSync(full)) throw new LlmHostError('CONFIG', `${full} does not exist`);
  return { path: full, text: readText(full) };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new LlmHostError('CONFIG', `${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function holdsServers(text: string): boolean {
  const parsed = parseJsonWithComments(text);
  if (!parsed.ok || typeof parsed.value !== 'object' || parsed.value === null) return false;
  return ['servers', 'mcpServers', 'mcp_servers'].some(key => Object.hasOwn(parsed.value as object, key));
}
