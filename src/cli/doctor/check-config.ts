import { EXIT, LlmHostError } from '../../errors.ts';
import type { HostTool } from '../../mcp/tool-host.ts';
import { definitionCounter } from '../../run/definition-counter.ts';
import { startServers } from '../../run/start-servers.ts';
import { CLIENT_INFO, type Place, stateDirectory } from '../process/app.ts';
import { prepareMcp } from '../process/prepare-mcp.ts';
import { openProgramLog } from '../process/program-log.ts';
import { findConfigFile, passedOverNotice } from '../settings/find-config.ts';
import { findMcpFile } from '../settings/lookup.ts';
import { findConfig, lookUpMcpFile, readConfigOf } from '../settings/settings.ts';
import { serverTokens } from '../tools/definition-tokens.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

const INIT = 'Write one from the example: llm-host init';

export function checkConfig(where: Place): Finding[] {
  const found = findConfigFile(where);
  const { path, passedOver } = found;
  const foreign = passedOver.map(one => ok('config.json', passedOverNotice(one)));
  if (path === undefined) return [...foreign, warning('config.json', 'not found; the demo needs none', INIT)];
  try {
    const { warnings, notices } = readConfigOf(found);
    const fix = 'Correct or remove the key; config.schema.json describes every field.';
    return [
      ...foreign,
      ok('config.json', path),
      ...warnings.map(text => warning('config.json', text, fix)),
      ...notices.map(text =>
        warning('config.json', text, 'Name it, or move it to your configuration folder.'),
      ),
    ];
  } catch (error) {
    return [broken('config.json', error)];
  }
}

/** Starts the servers of mcp.json; each is a finding. A project's servers need consent first. */
export async function checkServers(where: Place): Promise<Finding[]> {
  const { path } = findMcpFile(where);
  if (path === undefined) return [warning('mcp.json', 'not found; the demo needs none', INIT)];
  try {
    const config = await prepareMcp(lookUpMcpFile(where) ?? [], where);
    const log = openProgramLog(where.env);
    const { host, report } = await startServers(config, {
      log,
      clientInfo: CLIENT_INFO,
      stateFolder: stateDirectory(where.env),
      audit: false,
    });
    const { problems } = report();
    try {
      const states = host.servers().map(({ name, state, tools, error }) => {
        const check = `server ${name}`;
        if (state === 'ready') return ok(check, `ready, ${tools} ${tools === 1 ? 'tool' : 'tools'}`);
        if (state === 'disabled') return ok(check, `disabled in ${path}`);
        const what = error ?? state;
        return failed(
          check,
          what,
          `Check its entry in ${path}; its output is in ${log.path}`,
          EXIT.unavailable,
        );
      });
      const said = new Set(states.map(({ message }) => message.toLowerCase()));
      const rest = problems.filter(text => !said.has(text.toLowerCase()));
      return [
        ok('mcp.json', path),
        ...states,
        ...definitionTokens(host.tools(), where),
        ...rest.map(text => warning('mcp.json', text, `Correct ${path}.`)),
      ];
    } finally {
      await host.close();
    }
  } catch (error) {
    return [broken('mcp.json', error)];
  }
}

/** Counts the tokens that the tools take in every prompt. */
function definitionTokens(tools: readonly HostTool[], where: Place): Finding[] {
  if (tools.length === 0) return [];
  const counter = definitionCounter(modelOf(where), where);
  const sums = serverTokens(tools, ({ definition }) => counter.one(definition));
  const total = sums.reduce((sum, { tokens }) => sum + tokens, 0);
  const by = counter.model === undefined ? 'estimated' : `by ${counter.model}`;
  const each = sums.map(({ server, tokens }) => `${server} ${tokens}`).join(', ');
  return [ok('tool definitions', `${total} tokens, ${by}: ${each}`)];
}

/** The model that config.json names, if any; a broken file is a finding of its own. */
function modelOf(where: Place): string | undefined {
  try {
    return findConfig(where)?.model;
  } catch (error) {
    if (error instanceof LlmHostError) return undefined;
    throw error;
  }
}

function broken(check: string, error: unknown): Finding {
  if (!(error instanceof LlmHostError)) throw error;
  return failed(check, error.message, error.hint ?? 'Correct the file.', error.exitCode);
}
