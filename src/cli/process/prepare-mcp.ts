import type { McpConfig } from '../../mcp/config/config.ts';
import type { McpFile } from '../../mcp/config/document.ts';
import { prepareServers } from '../../run/prepare-servers.ts';
import { type Place, stateDirectory } from './app.ts';
import { terminalQuestions } from './questions.ts';

/** `prepareServers` with this program's state folder, asking on the terminal if there is one. */
export function prepareMcp(files: readonly McpFile[], { cwd, env }: Place): Promise<McpConfig> {
  return prepareServers(files, {
    cwd,
    env,
    stateFolder: stateDirectory(env),
    questions: terminalQuestions(),
  });
}
