import type { ServerConfig } from '../../../src/mcp/config/config.ts';
import { McpHost } from '../../../src/mcp/host/mcp-host.ts';
import { threadCpuMs } from '../../../src/text/thread-cpu.ts';
import { eventually, fixture, processesWith, SHORT_WAITS } from '../../fixtures/mcp/support.ts';

/** Escape sequences, other controls but newline, and what people cannot see. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
export const UNCLEAN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202e]|[\u{E0000}-\u{E007F}]/u;

/** What an attack cost its host, and what came through. */
export interface Withstood {
  /** Milliseconds that this thread computed within the slowest call of the other server, whoever else has the processor. */
  readonly callCpuMs: number;
  /** Milliseconds of that call by the clock. */
  readonly callMs: number;
  /** Growth of this process while it lasted. */
  readonly megabytes: number;
  /** Milliseconds until the server was gone, as a timer of this process counts them: on a busy machine it counts fewer. */
  readonly closeTicks: number;
  /** By the clock. */
  readonly closeMs: number;
  /** Every text that a user or a log would see. */
  readonly texts: readonly string[];
  /** Processes that are still there. */
  readonly left: readonly number[];
}

/** How long a call under attack may take; HOSTILE_MS for a longer look. */
const ATTACK_MS = Number(process.env.HOSTILE_MS ?? 250);
const SAMPLE_MS = 10;

/** Where the system does not tell of one thread, that of all. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return threadCpuMs() ?? (user + system) / 1000;
}

/** A host with a polite server, to which hostile ones are added one after another. */
export class Fortress {
  readonly #texts: string[] = [];
  readonly #host = new McpHost({
    configs: [{ ...fixture('polite'), name: 'polite' }],
    onLog: (_server, line) => this.#texts.push(line),
    limits: SHORT_WAITS,
  });

  async open(): Promise<void> {
    await this.#host.start();
    for (let warm = 0; warm < 20; warm++) await this.#callOther();
  }

  close(): Promise<void> {
    return this.#host.close();
  }

  /** Lets a server attack by its start and one call. `mark`: in the command line of its processes. */
  async withstand(config: ServerConfig, mark: string, args: object = {}): Promise<Withstood> {
    const host = this.#host;
    this.#texts.length = 0;
    globalThis.gc?.();
    const atStart = process.memoryUsage.rss();
    let peak = atStart;
    let samples = 0;
    const sampling = setInterval(() => {
      samples += 1;
      peak = Math.max(peak, process.memoryUsage.rss());
    }, SAMPLE_MS);
    let over = false;
    const attack = this.#attack(config, args).finally(() => {
      over = true;
    });
    let [callCpuMs, callMs] = [0, 0];
    const until = performance.now() + ATTACK_MS;
    while (!over || performance.now() < until) {
      const cpu = cpuMs();
      const began = performance.now();
      await this.#callOther();
      callCpuMs = Math.max(callCpuMs, cpuMs() - cpu);
      callMs = Math.max(callMs, performance.now() - began);
    }
    await attack;
    peak = Math.max(peak, process.memoryUsage.rss());
    this.#texts.push(...(host.takeNotices() ?? []), ...statesOf(host));
    const closing = performance.now();
    const before = samples;
    await host.remove(config.name);
    const closeMs = performance.now() - closing;
    const closeTicks = (samples - before) * SAMPLE_MS;
    clearInterval(sampling);
    // A killed process may take a moment to go.
    await eventually(() => processesWith(mark).length === 0, `the end of ${config.name}`).catch(() => {});
    return {
      callCpuMs,
      callMs,
      closeMs,
      closeTicks,
      megabytes: (peak - atStart) / 1e6,
      texts: [...this.#texts],
      left: processesWith(mark),
    };
  }

  async #attack(config: ServerConfig, args: object): Promise<void> {
    const state = await this.#host.add(config);
    if (state.state !== 'ready') return;
    const [name] = this.#host
      .tools()
      .flatMap(({ server, definition }) => (server === config.name ? [definition.function.name] : []));
    const run = this.#host.call(name ?? 'run', args as Record<string, unknown>, {
      timeoutMs: ATTACK_MS,
      onProgress: ({ message }) => this.#texts.push(message ?? ''),
    });
    await run.then(
      ({ text }) => this.#texts.push(text),
      error => this.#texts.push((error as Error).message),
    );
  }

  async #callOther(): Promise<void> {
    const { text } = await this.#host.call('echo', { text: 'hi' }, { timeoutMs: 60_000 });
    if (text !== 'hi') throw new Error(`the other server said ${text}`);
  }
}

/** What is shown of servers and tools. */
function statesOf(host: McpHost): string[] {
  const tools = host.tools().slice(0, 2000);
  return [
    ...host.servers().flatMap(({ name, error = '', instructions = '' }) => [name, error, instructions]),
    ...tools.flatMap(({ tool, definition }) => [tool, definition.function.description ?? '']),
  ];
}
