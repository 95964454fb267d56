import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LlmHostError, messageOf } from '../../../errors.ts';
import type { StdioServerConfig } from '../../../mcp/config/types.ts';

const run = promisify(execFile);

/** Serves the classes of BFCL, and judges what was done with them. */
const SCRIPT = fileURLToPath(new URL('../../../../scripts/bfcl/main.py', import.meta.url));
/** Milliseconds; none of the functions takes long. */
export const CALL_LIMIT_MS = 10_000;
const START_LIMIT_MS = 60_000;
const CHECK_LIMIT_MS = 60_000;

/** Where the simulated services of conversations come from. */
export interface Services {
  /** BFCL's data and classes. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds for a call. Default 10,000. */
  readonly callLimitMs?: number;
}

export const pythonOf = ({ env }: Services): string => env.PYTHON || 'python3';

/** Arguments of Python, which is to leave no compiled files beside the checked ones. */
export function scriptArguments({ folder }: Services, command: string, ...rest: string[]): string[] {
  return ['-B', SCRIPT, command, folder, ...rest];
}

/** An MCP server for each service of a case. */
export function serviceConfigs(
  services: Services,
  id: string,
  names: readonly string[],
): StdioServerConfig[] {
  const { folder, env, callLimitMs = CALL_LIMIT_MS } = services;
  return names.map(name => ({
    name,
    transport: 'stdio',
    command: pythonOf(services),
    cwd: folder,
    protocol: 'legacy',
    args: scriptArguments(services, 'serve', id, name),
    // Where packages may be that the classes need.
    env: { PYTHONPATH: env.PYTHONPATH ?? null },
    timeoutMs: callLimitMs,
    startTimeoutMs: START_LIMIT_MS,
  }));
}

/**
 * Why some of these services cannot run here, by name.
 * @throws LlmHostError ENGINE_UNAVAILABLE without Python; CANCELLED
 */
export async function missingServices(
  services: Services,
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const args = scriptArguments(services, 'check', ...names);
  try {
    const { env } = services;
    const { stdout } = await run(pythonOf(services), args, { env, signal, timeout: CHECK_LIMIT_MS });
    const lines = stdout.split('\n').filter(line => line !== '');
    return new Map(
      lines.map(line => {
        const { class: name, why } = JSON.parse(line) as { class: string; why: string };
        return [name, why];
      }),
    );
  } catch (error) {
    if (signal.aborted) throw new LlmHostError('CANCELLED', 'Looking for the services was cancelled');
    throw new LlmHostError('ENGINE_UNAVAILABLE', `The services of BFCL do not run: ${messageOf(error)}`, {
      cause: error,
      hint: 'They need python3 ($PYTHON names another); --categories chooses others.',
    });
  }
}
