import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { type McpConfig, neededInputs, resolveDocument } from '../../mcp/config/config.ts';
import { type McpDocument, type McpFile, parseMcpFile } from '../../mcp/config/document.ts';
import { resolveInputs } from '../../mcp/config/inputs.ts';
import { mergeDocuments } from '../../mcp/config/merge.ts';
import type { VariableScope } from '../../mcp/config/variables.ts';
import { TrustStore } from '../../mcp/trust/store.ts';
import { withConsent } from '../../mcp/trust/trust.ts';
import { type Questions, terminalQuestions } from '../process/questions.ts';
import { stateDirectory } from './lookup.ts';

export interface PrepareOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** By default the terminal, if there is one. */
  readonly questions?: Questions | undefined;
}

/**
 * From files to servers that can be started: reads and merges them (a later file wins), asks for servers that came
 * with the working directory and for the inputs that are needed. Throws LlmHostError CONFIG for a file that is no
 * JSON; what is wrong with one server is in the result.
 */
export async function prepareServers(
  files: readonly McpFile[],
  { cwd, env, questions = terminalQuestions() }: PrepareOptions,
): Promise<McpConfig> {
  const warnings: string[] = [];
  const store = openTrustStore(env, message => warnings.push(message));
  const read = files.map(file => parseMcpFile({ ...file, label: file.label ?? labelOf(file.path, cwd) }));
  const configs: McpConfig[] = [];
  for (const document of mergeDocuments(read)) {
    const allowed = await withConsent(document, {
      store,
      scope: scopeOf(cwd, env),
      allowAll: /^(1|true|yes)$/i.test(env.LLM_HOST_TRUST_MCP ?? ''),
      confirm: questions?.confirm,
    });
    const needed = neededInputs(allowed.entries, env);
    const { lookup, secrets } = await resolveInputs(allowed.inputs, needed, env, questions?.value);
    const config = resolveDocument(allowed, { ...scopeOf(cwd, env)(allowed), input: lookup });
    configs.push({ ...config, secrets: [...config.secrets, ...secrets] });
  }
  return {
    servers: configs.flatMap(config => config.servers),
    disabled: configs.flatMap(config => config.disabled),
    switchedOff: configs.flatMap(config => config.switchedOff),
    failures: configs.flatMap(config => config.failures),
    warnings: [...configs.flatMap(config => config.warnings), ...warnings],
    secrets: configs.flatMap(config => config.secrets),
  };
}

/** Where it is remembered what the user has allowed. */
export function openTrustStore(env: NodeJS.ProcessEnv, onWarning: (message: string) => void): TrustStore {
  return new TrustStore(join(stateDirectory(env), 'trust.json'), onWarning);
}

function scopeOf(cwd: string, env: NodeJS.ProcessEnv): (document: McpDocument) => VariableScope {
  return ({ workspaceFolder }) => ({
    env,
    workspaceFolder,
    userHome: homedir(),
    cwd,
    input: () => '',
  });
}

/** Short for a file of the working directory, whole for any other. */
function labelOf(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === '' || short.startsWith('..') ? path : short;
}
