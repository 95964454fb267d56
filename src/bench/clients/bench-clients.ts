import { type ClientsLoad, loadedBy } from './clients-load.ts';
import type { ClientsPoint, ServerReport } from './clients-report.ts';
import { type ServerCommand, startServer } from './server-process.ts';

/** A server's command for a port and so many clients. */
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
