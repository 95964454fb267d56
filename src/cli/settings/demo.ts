import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { McpFile } from '../../mcp/config/document.ts';
import { APPLICATION_DIRECTORY, stateDirectory } from '../process/folders.ts';
import type { AppConfig } from './config-file.ts';

/**
 * The demo's own config.json. The model is small: greedy, so its answers are reproducible, and constrained to the tools
 * that exist.
 */
export const DEMO_CONFIG: AppConfig = {
  SystemPrompt: 'You are a helpful assistant.',
  sampling: { temperature: 0, maxTokens: 512 },
  tools: { constrain: 'always' },
};

/** A writable copy of the sample folder, made once, so the demo never changes the package. */
function demoFolder(env: NodeJS.ProcessEnv): string {
  const folder = join(stateDirectory(env), 'demo-files');
  if (!existsSync(folder)) {
    mkdirSync(dirname(folder), { recursive: true });
    cpSync(join(APPLICATION_DIRECTORY, 'models', 'demo', 'sample'), folder, { recursive: true });
  }
  return folder;
}

/** The demo's servers, used if no mcp.json is found. */
export function demoMcpFile(env: NodeJS.ProcessEnv): McpFile {
  return { path: join(APPLICATION_DIRECTORY, 'mcp.json'), text: demoMcpText(demoFolder(env)) };
}

/** Two bundled servers, over the sample folder. */
function demoMcpText(folder: string): string {
  const server = (...args: string[]) => ({ type: 'stdio', command: 'llm-host', args: ['server', ...args] });
  return JSON.stringify({
    servers: { calculator: server('calculator'), files: server('files', '--root', folder) },
  });
}
