import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LlmHostError } from '../../errors.ts';

/** The package's root: the folder that holds package.json, from src/cli/settings or dist/cli/settings. */
export const APPLICATION_DIRECTORY = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

function configDirectory(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'llm-host');
}

/** Logs, audit and what else the program keeps for itself. */
export function stateDirectory(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'llm-host');
}

export interface LookupOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The names of mcp files that other hosts put into a project, in the order in which they are looked for. */
const PROJECT_MCP_FILES = ['mcp.json', join('.vscode', 'mcp.json'), '.mcp.json'];

/**
 * The first mcp file: in the working directory `mcp.json`, `.vscode/mcp.json` or `.mcp.json`, else `mcp.json` in the
 * user's configuration folder, else in the application directory.
 * `project`: it came with the working directory, whoever wrote that.
 */
export function findMcpFile({ cwd, env }: LookupOptions): {
  path: string | undefined;
  searched: string[];
  project: boolean;
} {
  const ofProject = PROJECT_MCP_FILES.map(name => join(cwd, name));
  const ofUser = [join(configDirectory(env), 'mcp.json'), join(APPLICATION_DIRECTORY, 'mcp.json')];
  const searched = [...ofProject, ...ofUser];
  const path = searched.find(candidate => existsSync(candidate));
  return { path, searched, project: path !== undefined && !ofUser.includes(path) };
}

/** The first `name` in the working directory, the user's configuration folder, the application directory. */
export function findFile(
  name: string,
  { cwd, env }: LookupOptions,
): { path: string | undefined; searched: string[] } {
  const searched = [cwd, configDirectory(env), APPLICATION_DIRECTORY].map(folder => join(folder, name));
  return { path: searched.find(path => existsSync(path)), searched };
}

/** The error for a configuration file that is nowhere. */
export function missingFile(name: string, searched: readonly string[]): LlmHostError {
  return new LlmHostError('CONFIG', `${name} not found in application directory`, {
    hint: `Searched:\n${searched.map(path => `  ${path}`).join('\n')}\nRun \`llm-host init\` to write one from the example.`,
  });
}
