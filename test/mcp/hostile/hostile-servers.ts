import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ATTACKS as HTTP_ATTACKS } from '../../fixtures/mcp/hostile/http-attacks.mjs';
import { ATTACKS as STDIO_ATTACKS } from '../../fixtures/mcp/hostile/stdio-attacks.mjs';
import { FIXTURES } from '../../fixtures/mcp/support.ts';

export interface HostileServer {
  readonly transport: 'stdio' | 'HTTP';
  /** What it does. */
  readonly name: string;
  /** Of the call that it is to get. */
  readonly args: object;
}

/** Every hostile server: test/mcp/hostile has them beside a polite one in a host, test/long in whole programs. */
export const HOSTILE_SERVERS: readonly HostileServer[] = [
  ...Object.entries(STDIO_ATTACKS).map(
    ([name, { args = {} }]) => ({ transport: 'stdio', name, args }) as const,
  ),
  ...Object.keys(HTTP_ATTACKS).map(name => ({ transport: 'HTTP', name, args: {} }) as const),
];

/** Those of one transport, with their names as titles of tests. */
export const titled = (transport: HostileServer['transport']) =>
  HOSTILE_SERVERS.filter(server => server.transport === transport).map(
    server => [server.name, server] as const,
  );

/** The process that all those of HTTP are in. */
export async function startHostileHttp(): Promise<{ readonly port: number; readonly close: () => void }> {
  const child = spawn(process.execPath, [join(FIXTURES, 'hostile/http.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  return { port: Number(String(line)), close: () => void child.kill() };
}

/** The command of one of stdio. `mark`: stands in the command line of its processes. */
export const commandOf = ({ name }: HostileServer, mark: string) => ({
  command: process.execPath,
  args: [join(FIXTURES, 'hostile/stdio.mjs'), name, mark],
});

/** The address of one of HTTP. */
export const addressOf = ({ name }: HostileServer, port: number): string =>
  `http://127.0.0.1:${port}/${encodeURIComponent(name)}`;
