import { join } from 'node:path';
import { LlmHostError } from '../errors.ts';
import { loadMcpConfig } from '../mcp/config/config.ts';
import { McpHost } from '../mcp/host/mcp-host.ts';
import type { Approver } from '../mcp/policy/approval.ts';
import { readTextFile } from '../text/files/read-text-file.ts';

const MAX_BYTES = 1024 * 1024;

export interface McpServersOptions {
  /** Asked about calls whose entry says `"approval": "ask"`; without it those are refused. */
  readonly approve?: Approver | undefined;
  /** Lines of a server's stderr and its log messages. */
  readonly onLog?: ((server: string, line: string) => void) | undefined;
  /** Ends the start, and what has started. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Starts the servers of an mcp.json, or of an object in its shape. They are the program's own choice, so nobody is asked
 * for consent.
 * @throws LlmHostError CONFIG: an entry that cannot be used; MCP_SERVER: a server that does not start; CANCELLED
 */
export async function startMcpServers(
  source: string | Readonly<Record<string, unknown>>,
  { approve, onLog, signal }: McpServersOptions,
): Promise<McpHost> {
  const [text, file] =
    typeof source === 'string'
      ? [readFile(source), source]
      : [JSON.stringify(source), join(process.cwd(), 'mcp')];
  const config = loadMcpConfig(text, file);
  const [unusable] = config.failures;
  if (unusable) throw new LlmHostError('CONFIG', unusable.error);
  const host = new McpHost({ configs: config.servers, ...(onLog && { onLog }) });
  host.setApprover(approve);
  const end = () => void host.close();
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted) end();
  await host.start().finally(() => signal?.removeEventListener('abort', end));
  if (signal?.aborted) {
    await host.close();
    throw new LlmHostError('CANCELLED', 'The start of the MCP servers was cancelled');
  }
  const broken = host.servers().find(({ state }) => state === 'failed');
  if (broken) {
    await host.close();
    throw new LlmHostError('MCP_SERVER', broken.error ?? `The MCP server '${broken.name}' did not start`);
  }
  host.takeNotices();
  return host;
}

function readFile(path: string): string {
  try {
    return readTextFile(path, MAX_BYTES);
  } catch (cause) {
    throw new LlmHostError('CONFIG', (cause as Error).message, { cause });
  }
}
