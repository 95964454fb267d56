import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package's root: the folder that holds package.json, from src/cli/process or dist/cli/process. */
export const APPLICATION_DIRECTORY = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** The user's configuration. */
export function configDirectory(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'llm-host');
}

/** Logs, the audit record, sessions and whatever else the program keeps for itself. */
export function stateDirectory(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'llm-host');
}

/** Where the program runs: what relative paths and lookups start from. */
export interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The version in package.json. */
export const VERSION: string = (
  JSON.parse(readFileSync(join(APPLICATION_DIRECTORY, 'package.json'), 'utf8')) as { version: string }
).version;

/** How this program introduces itself to MCP servers. */
export const CLIENT_INFO = { name: 'llm-host', version: VERSION } as const;
