import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { type McpConfig, neededInputs, resolveDocument } from '../mcp/config/config.ts';
import { type McpDocument, type McpFile, parseMcpFile } from '../mcp/config/document.ts';
import { type InputDefinition, resolveInputs } from '../mcp/config/inputs.ts';
import { mergeDocuments } from '../mcp/config/merge.ts';
import type { VariableScope } from '../mcp/config/variables.ts';
import { TrustStore } from '../mcp/trust/store.ts';
import { type LaunchRequest, withConsent } from '../mcp/trust/trust.ts';

export interface PrepareServersOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Holds the record of what the user has allowed. */
  readonly stateFolder: string;
  /** Undefined: nobody can be asked. */
  readonly questions?: Questions | undefined;
}

/**
 * Reads and merges mcp files (a later file wins), and asks the user for consent to a project's servers and for the inputs
 * they need. Throws LlmHostError CONFIG for a file that is not JSON; problems of a single server are in the result.
 */
export async function prepareServers(
  files: readonly McpFile[],
  { cwd, env, stateFolder, questions }: PrepareServersOptions,
): Promise<McpConfig> {
  const warnings: string[] = [];
  const store = openTrustStore(stateFolder, message => warnings.push(message));
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

/** The record of the servers and tools the user has allowed. */
export function openTrustStore(stateFolder: string, onWarning: (message: string) => void): TrustStore {
  return new TrustStore(join(stateFolder, 'trust.json'), onWarning);
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

/** Relative for a file in the working directory, absolute for any other. */
function labelOf(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === '' || short.startsWith('..') ? path : short;
}

/** The questions that starting the servers may ask the user. */
export interface Questions {
  /** May these commands of a project's mcp file run? */
  readonly confirm: (document: McpDocument, launches: readonly LaunchRequest[]) => Promise<boolean>;
  /** The value of an input; undefined: none was given. */
  readonly value: (input: InputDefinition) => Promise<string | undefined>;
}
