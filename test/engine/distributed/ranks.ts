import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GenerateResult } from '../../../src/engine/engine.ts';

const CHILD = fileURLToPath(new URL('rank-child.mjs', import.meta.url));

export interface Token {
  readonly id: number;
  readonly logprob: number;
}

export interface Answer {
  readonly weightBytes?: number;
  readonly tokens?: readonly Token[];
  /** Of several requests. */
  readonly replies?: readonly (readonly Token[])[];
  readonly result?: GenerateResult;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Ports that nothing listens on. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = servers.map(server => (server.address() as { port: number }).port);
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))));
  return ports;
}

/** Processes that share a model over the loopback. */
export class Ranks {
  readonly processes: readonly ChildProcess[];

  readonly #folder: string;

  private constructor(processes: readonly ChildProcess[], folder: string) {
    this.processes = processes;
    this.#folder = folder;
  }

  /** `started`: how many of them there are really. */
  static async start(count: number, started = count): Promise<Ranks> {
    const ports = await freePorts(count);
    const hosts = ports.map(port => [`127.0.0.1:${port}`]);
    const folder = mkdtempSync(join(tmpdir(), 'llm-host-ranks-'));
    const file = join(folder, 'ring.json');
    writeFileSync(file, JSON.stringify(hosts));
    const processes = Array.from({ length: started }, (_, rank) =>
      fork(CHILD, {
        env: { ...process.env, MLX_HOSTFILE: file, MLX_RANK: String(rank) },
        // MLX says there that a socket was closed.
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      }),
    );
    return new Ranks(processes, folder);
  }

  /** Asks all of them, and waits for each to answer or to end. */
  async ask(message: object): Promise<Answer[]> {
    return await Promise.all(this.processes.map((_, rank) => this.askOne(rank, message)));
  }

  async askOne(rank: number, message: object, onFirst?: () => void): Promise<Answer> {
    const child = this.processes[rank] as ChildProcess;
    return await new Promise(resolve => {
      const onExit = (_: unknown, signal: string | null) =>
        resolve({ error: { code: signal ?? 'exit', message: 'the process ended' } });
      child.once('exit', onExit);
      child.on('message', function listen(reply: { first?: true; answer?: Answer; error?: Answer['error'] }) {
        if (reply.first) return onFirst?.();
        child.off('message', listen);
        child.off('exit', onExit);
        resolve(reply.error ? { error: reply.error } : (reply.answer as Answer));
      });
      child.send(message);
    });
  }

  [Symbol.dispose](): void {
    for (const child of this.processes) child.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true });
  }
}
