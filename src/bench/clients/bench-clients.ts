import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LlmHostError } from '../../errors.ts';
import { type ClientsLoad, loadedBy } from './clients-load.ts';
import type { ClientsPoint, ServerReport } from './clients-report.ts';

/** A server's command for a port and a number of clients. */
export type CommandFor = (port: number, clients: number) => ServerCommand;

export interface ClientsSettings {
  readonly servers: readonly { readonly name: string; readonly commandFor: CommandFor }[];
  readonly clients: readonly number[];
  readonly requests: number;
  readonly generate: number;
  readonly prompt: (seed: number) => string;
  readonly onProgress: (text: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Measures each server with each number of clients, in a process of its own. The servers take turns, so other load on
 * the machine hits all of them alike, and all get the same prompts.
 */
export async function benchClients(settings: ClientsSettings): Promise<ServerReport[]> {
  const points = new Map<string, ClientsPoint[]>(settings.servers.map(({ name }) => [name, []]));
  for (const clients of settings.clients) {
    for (const server of settings.servers) {
      settings.onProgress(`${clients} ${clients === 1 ? 'client' : 'clients'}: ${server.name}`);
      points.get(server.name)?.push(await measure(settings, server.commandFor, clients));
    }
  }
  return [...points].map(([name, points]) => ({ name, points }));
}

async function measure(
  { requests, generate, prompt, signal }: ClientsSettings,
  commandFor: CommandFor,
  clients: number,
): Promise<ClientsPoint> {
  const server = await startServer(port => commandFor(port, clients), signal);
  try {
    const load = (count: number, seed: number): ClientsLoad => ({
      clients,
      requests: count,
      generate,
      prompt: (client, request) => prompt(seed + 1000 * client + request),
    });
    // The warm-up: as many at once, so that what they need is there.
    await loadedBy({ ...load(1, 5e6), generate: Math.min(generate, 8) }, server, signal);
    const { figures, ...point } = await loadedBy(load(requests, 0), server, signal);
    const peakBytes = server.peakBytes();
    return { ...point, figures: { ...figures, ...(peakBytes !== undefined && { peakBytes }) } };
  } finally {
    await server.stop();
  }
}

/** How to start a server that speaks OpenAI's API. */
interface ServerCommand {
  /** Such as `mlx-lm`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Added to this process's environment; undefined: taken out. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface RunningServer {
  readonly name: string;
  readonly url: string;
  /** Its peak resident memory so far, in bytes; undefined where the system does not say, or it has ended. */
  peakBytes(): number | undefined;
  stop(): Promise<void>;
}

const START_MS = 10 * 60_000;
const STOP_MS = 15_000;
const TRY_EVERY_MS = 100;
const STDERR_TAIL = 2000;

/**
 * Starts a server on a free port of this machine and waits until GET /health answers 200. It is killed when the signal
 * fires. @throws LlmHostError ENGINE with the end of its stderr if it does not start.
 */
export async function startServer(
  commandFor: (port: number) => ServerCommand,
  signal: AbortSignal,
): Promise<RunningServer> {
  const port = await freePort();
  const { name, command, args, env } = commandFor(port);
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
    killSignal: 'SIGKILL' as const,
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-STDERR_TAIL);
  });
  // Also if it could not be started: what the signal kills is no error here.
  child.on('error', error => {
    said += error.message;
  });
  const url = `http://127.0.0.1:${port}`;
  for (const end = Date.now() + START_MS; !(await answers(url)); await sleep(TRY_EVERY_MS)) {
    signal.throwIfAborted();
    if (child.pid !== undefined && !hasEnded(child) && Date.now() < end) continue;
    await stopProcess(child);
    throw new LlmHostError('ENGINE', `the server of ${name} did not start${said && `:\n${said.trimEnd()}`}`);
  }
  return { name, url, peakBytes: () => peakBytesOf(child.pid), stop: () => stopProcess(child) };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(timer);
}

function peakBytesOf(pid: number | undefined): number | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    // It has died under its load, of which the requests that it has answered are worth telling.
    return undefined;
  }
}

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    response => response.ok,
    () => false,
  );

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
