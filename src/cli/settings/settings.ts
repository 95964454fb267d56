import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { LlmHostError, messageOf } from '../../errors.ts';
import type { McpFile } from '../../mcp/config/document.ts';
import { readTextFile } from '../../text/files/read-text-file.ts';
import { parseJsonWithComments } from '../../text/json/json-with-comments.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';
import type { ChatArguments } from '../options/option-table.ts';
import type { Place } from '../process/app.ts';
import { type AppConfig, parseConfig, readConfigFile } from './config-file.ts';
import { DEMO_CONFIG } from './demo.ts';
import { type FoundConfig, findConfigFile, passedOverNotice } from './find-config.ts';
import { findMcpFile, MissingFile } from './lookup.ts';
import { withoutDecisions } from './project-config.ts';

/** The two configuration files, found and read. */
export interface Settings {
  readonly config: AppConfig;
  /** The config files that were read. */
  readonly configPaths: readonly string[];
  /** The config file, if it came with the working directory. */
  readonly projectConfig?: string | undefined;
  /** undefined: none (--no-mcp), or the demo's own servers when `demo` is set. */
  readonly mcpFiles: readonly McpFile[] | undefined;
  readonly warnings: readonly string[];
  readonly notices: readonly string[];
}

/** Used with `--system`, `-p` or `--connect` when there is no config.json. */
const PLAIN_CONFIG: AppConfig = { SystemPrompt: 'You are a helpful assistant.' };

/**
 * Finds and reads config.json and mcp.json. A file given to --config that holds servers is an mcp file. `demo`
 * needs neither: it brings its own for whichever is not found; `--system` and `-p` need no config.json, `--connect` neither.
 * Throws LlmHostError CONFIG, MissingFile where a file is missing.
 */
export function loadSettings(args: ChatArguments, demo: boolean, where: Place): Settings {
  const given = (args.config ?? []).map(path => readGiven(path, where.cwd));
  const mcpGiven = args.mcp === false ? [] : readMcpFiles(args.mcp ?? [], where.cwd);
  const configs = given.filter(file => !holdsServers(file.text));
  const mcpFiles = [...given.filter(file => holdsServers(file.text)), ...mcpGiven];
  const plain = [args.system, args.prompt, args.connect].some(option => option !== undefined);
  const read = readConfigs(configs, demo ? DEMO_CONFIG : plain ? PLAIN_CONFIG : undefined, where);
  if (args.mcp === false) return { ...read, mcpFiles: undefined };
  if (args.connect === undefined || demo) return { ...read, mcpFiles: findMcp(mcpFiles, demo, where) };
  return { ...read, mcpFiles: mcpFiles.length > 0 ? mcpFiles : (lookUpMcpFile(where) ?? []) };
}

/**
 * The settings of `serve`, which can do without either file: its clients bring their own system message and tools.
 * Ollama's mcp.json comes first, so the user's own wins where both name a server.
 */
export function loadServeSettings(args: ChatArguments, demo: boolean, where: Place): Settings {
  const given = (args.config ?? []).map(path => readGiven(path, where.cwd));
  const mcpGiven = args.mcp === false ? [] : readMcpFiles(args.mcp ?? [], where.cwd);
  const configs = given.filter(file => !holdsServers(file.text));
  const read = readConfigs(configs, demo ? DEMO_CONFIG : { SystemPrompt: '' }, where);
  if (args.mcp === false) return { ...read, mcpFiles: undefined };
  const own = [...given.filter(file => holdsServers(file.text)), ...mcpGiven];
  const found = own.length > 0 ? own : [...ollamaMcpFile(where), ...(lookUpMcpFile(where) ?? [])];
  return { ...read, mcpFiles: found.length === 0 && demo ? undefined : found };
}

/** Its servers were chosen for another program: local addresses need `allowLocalNetwork`. */
function ollamaMcpFile({ env }: Place): McpFile[] {
  const path = join(env.HOME || homedir(), '.ollama', 'mcp.json');
  return existsSync(path) ? [{ path, text: readText(path, false), origin: 'foreign' }] : [];
}

/** Reads files the user named. Throws LlmHostError CONFIG for one that cannot be read. */
export function readMcpFiles(paths: readonly string[], cwd: string): McpFile[] {
  return paths.map(path => readGiven(path, cwd));
}

/** config.json if the lookup finds one, for commands that can do without. Throws LlmHostError CONFIG. */
export function findConfig(where: Place): AppConfig | undefined {
  const found = findConfigFile(where);
  return found.path === undefined ? undefined : readConfigOf(found).config;
}

/** Reads the config.json that the lookup found, as far as its place lets it speak. Throws LlmHostError CONFIG. */
export function readConfigOf({ path = '', project }: FoundConfig) {
  const { config, warnings } = readConfigFile(path);
  return project ? { ...withoutDecisions(config, path), warnings } : { config, warnings, notices: [] };
}

function readConfigs(given: readonly McpFile[], fallback: AppConfig | undefined, where: Place) {
  if (given.length === 0) return readFoundConfig(fallback, where);
  const read = given.map(file => parseConfig(file.text, file.path));
  // The last file given wins, field by field.
  const config = Object.assign({}, ...read.map(one => one.config)) as AppConfig;
  const configPaths = given.map(file => file.path);
  return { config, configPaths, warnings: read.flatMap(one => one.warnings), notices: [] };
}

function readFoundConfig(fallback: AppConfig | undefined, where: Place) {
  const found = findConfigFile(where);
  const { path, searched, passedOver } = found;
  const notices = passedOver.map(passedOverNotice);
  if (path !== undefined) {
    const read = readConfigOf(found);
    const projectConfig = found.project ? path : undefined;
    return { ...read, configPaths: [path], projectConfig, notices: [...notices, ...read.notices] };
  }
  if (fallback) return { config: fallback, configPaths: [], warnings: [], notices };
  throw new MissingFile('config.json', searched, passedOver);
}

function findMcp(given: readonly McpFile[], demo: boolean, where: Place): readonly McpFile[] | undefined {
  if (given.length > 0) return given;
  const found = lookUpMcpFile(where);
  if (found || demo) return found;
  throw new MissingFile('mcp.json', findMcpFile(where).searched);
}

/** The mcp file that the lookup finds, if any. */
export function lookUpMcpFile(where: Place): McpFile[] | undefined {
  const { path, project } = findMcpFile(where);
  if (path === undefined) return undefined;
  return [{ path, text: readText(path, false), origin: project ? 'project' : 'user' }];
}

function readGiven(path: string, cwd: string): McpFile {
  const full = resolve(cwd, path);
  return { path: full, text: readText(full, true) };
}

const MAX_BYTES = 4 * 1024 * 1024;

function readText(path: string, pipes: boolean): string {
  try {
    return readTextFile(path, MAX_BYTES, { pipes });
  } catch (error) {
    throw new LlmHostError('CONFIG', messageOf(error), { cause: error });
  }
}

/** Broken JSON still counts as an mcp file if it looks like one, so the error names the right kind of file. */
function holdsServers(text: string): boolean {
  const parsed = parseJsonWithComments(text);
  if (!parsed.ok) return /"(servers|mcpServers|mcp_servers)"\s*:/.test(text);
  if (!isPlainObject(parsed.value)) return false;
  return ['servers', 'mcpServers', 'mcp_servers'].some(key => Object.hasOwn(parsed.value as object, key));
}
