import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const SCRIPT = fileURLToPath(new URL('cable.py', import.meta.url));

type Relay = ChildProcessByStdio<Writable, Readable, null>;

/** Why no cable can be made here; undefined: one can. */
export function whyNoCable(): string | undefined {
  if (process.platform !== 'linux') return 'needs Linux';
  for (const program of ['python3', 'ip', 'nsenter'])
    if (spawnSync('which', [program]).status !== 0) return `needs ${program}`;
  const { status, stderr } = spawnSync('python3', [SCRIPT], { encoding: 'utf8', input: '' });
  return status === 0 ? undefined : `the system refuses: ${stderr.trim().split('\n').at(-1)}`;
}

/** Two networks with one machine each, and the cable between them. */
export class Cable {
  readonly addresses: readonly [first: string, second: string] = ['10.77.0.1', '10.77.0.2'];
  /** What a program is started under to be on the first or the second machine. */
  readonly on: readonly [first: readonly string[], second: readonly string[]];
  readonly #relay: Relay;
  readonly #lines: AsyncIterator<string>;

  private constructor(relay: Relay, lines: AsyncIterator<string>, pids: readonly string[]) {
    this.#relay = relay;
    this.#lines = lines;
    const [first, second] = pids.map(pid => ['nsenter', '-t', pid, '-n', '--']);
    this.on = [first as string[], second as string[]];
  }

  /** Until the test has finished. */
  static async lay(): Promise<Cable> {
    const relay = spawn('python3', [SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void relay.kill('SIGKILL'));
    const lines = createInterface({ input: relay.stdout })[Symbol.asyncIterator]();
    const { value } = await lines.next();
    return new Cable(relay, lines, String(value).split(' '));
  }

  /** Bytes of data that these ports' connections have carried. One question at a time. */
  async carried(ports: readonly number[]): Promise<number> {
    this.tell(`carried ${ports.join(' ')}`);
    return Number((await this.#lines.next()).value);
  }

  /** `loss 0.05`, `delay 0.2`, `cut`, `cut 9000 9001`, `whole`: see cable.py. */
  tell(order: string): void {
    this.#relay.stdin.write(`${order}\n`);
  }
}
