import { join } from 'node:path';
import { formatArguments } from '../../line/format.ts';
import type { HostTool } from '../../mcp/tool-host.ts';
import { stripControls } from '../../text/strip-controls.ts';
import { openLog } from '../log.ts';
import { findMcpFile, missingFile, stateDirectory } from '../lookup.ts';
import { prepareServers } from '../prepare-servers.ts';
import { lookUpMcpFile, readMcpFiles } from '../settings.ts';
import type { Signals } from '../signals.ts';
import { startServers } from '../start-servers.ts';

/** `llm-host tools`: starts the servers, prints each one's state and tools. 0 when all of them are up, else 69. */
export async function tools(mcp: readonly string[], signals: Signals): Promise<number> {
  const where = { cwd: process.cwd(), env: process.env };
  const files = mcp.length > 0 ? readMcpFiles(mcp, where.cwd) : lookUpMcpFile(where);
  if (!files) throw missingFile('mcp.json', findMcpFile(where).searched);
  const config = await prepareServers(files, where);
  const log = openLog(join(stateDirectory(where.env), 'llm-host.log'), 'info');
  const { host, problems } = await startServers(config, log, where.env);
  signals.addCleanup(() => host.close());
  try {
    for (const server of host.servers()) {
      const mine = host.tools().filter(tool => tool.server === server.name);
      process.stdout.write(
        `${server.name}: ${server.state}, ${mine.length} tools\n${mine.map(describe).join('')}`,
      );
    }
    for (const problem of problems) process.stderr.write(`Notice: ${problem}\n`);
    return problems.length > 0 ? 69 : 0;
  } finally {
    await host.close();
  }
}

function describe({ definition }: HostTool): string {
  const { name, description, parameters } = definition.function;
  const properties = (parameters.properties ?? {}) as Record<string, { type?: unknown }>;
  const types = Object.fromEntries(
    Object.entries(properties).map(([key, schema]) => [key, schema.type ?? 'any']),
  );
  const line = `  ${name}(${formatArguments(types).replaceAll('"', '')}) - ${description ?? ''}`;
  return `${stripControls(line)}\n`;
}
