import { copyFileSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LlmHostError, messageOf } from '../../errors.ts';
import type { McpFile } from '../../mcp/config/document.ts';
import { makeFolder } from '../../text/files/make-folder.ts';
import { APPLICATION_DIRECTORY, stateDirectory } from '../process/app.ts';
import type { AppConfig } from './config-file.ts';

/**
 * The demo's own config.json. The model is small: greedy, so its answers are reproducible, constrained to the tools that
 * exist, and, next to those of other servers, first offered the tools that it has learnt.
 */
export const DEMO_CONFIG: AppConfig = {
  SystemPrompt: 'You are a helpful assistant.',
  sampling: { temperature: 0, maxTokens: 512 },
  tools: { constrain: 'always', pinned: ['calculator', 'files'] },
};

/** A writable copy of the sample folder, so the demo never changes the package. Its tools can delete files: each start restores them. */
function demoFolder(env: NodeJS.ProcessEnv): string {
  const folder = join(stateDirectory(env), 'demo-files');
  try {
    restore(join(APPLICATION_DIRECTORY, 'models', 'demo', 'sample'), folder);
  } catch (error) {
    throw new LlmHostError('CONFIG', `The demo's files cannot be written to ${folder}: ${messageOf(error)}`, {
      cause: error,
      hint: 'Set XDG_STATE_HOME to a folder that you can write to, or try --no-mcp.',
    });
  }
  return folder;
}

/** Copies what is missing, changed or of another kind in `to`; whatever else is there stays. */
function restore(from: string, to: string): void {
  if (!statSync(to, { throwIfNoEntry: false })?.isDirectory()) rmSync(to, { force: true });
  makeFolder(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) restore(source, target);
    else if (!sameFile(source, target)) {
      rmSync(target, { recursive: true, force: true });
      copyFileSync(source, target);
    }
  }
}

function sameFile(source: string, target: string): boolean {
  if (!statSync(target, { throwIfNoEntry: false })?.isFile()) return false;
  return readFileSync(source).equals(readFileSync(target));
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
