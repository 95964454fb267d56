import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LlmHostError } from '../../errors.ts';
import { APPLICATION_DIRECTORY, configDirectory, type Place } from '../process/app.ts';

/** Names of a project's mcp files, by this and other hosts, in search order. */
const PROJECT_MCP_FILES = ['mcp.json', join('.vscode', 'mcp.json'), '.mcp.json'];

/**
 * The first mcp file: in the working directory `mcp.json`, `.vscode/mcp.json` or `.mcp.json`, else `mcp.json` in the
 * user's configuration folder, else in the application directory.
 * `project`: it came with the working directory, whoever wrote it.
 */
export function findMcpFile({ cwd, env }: Place): {
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

/** The error for a missing configuration file. */
export class MissingFile extends LlmHostError {
  /** `config.json` or `mcp.json` */
  readonly file: string;

  constructor(file: string, searched: readonly string[], passedOver: readonly string[] = []) {
    const places = searched.map(
      path => `  ${path}${passedOver.includes(path) ? " (has none of llm-host's keys)" : ''}`,
    );
    const without = file === 'mcp.json' ? ', or start without tools: --no-mcp' : '';
    super('CONFIG', `${file} not found in application directory`, {
      hint: `Searched:\n${places.join('\n')}\nRun \`llm-host init\` to write one from the example${without}.`,
    });
    this.file = file;
  }
}
