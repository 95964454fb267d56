import type { TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { listenSecurely } from '../../src/distributed/link/secure-connection.ts';
import { freePort } from '../e2e/distributed/machines.ts';

export const SECRET = 'a secret that only these machines know';

/** Another machine whose worker says what the test says, over a real connection. */
export class ScriptedWorker {
  readonly host: {
    readonly name: string;
    readonly control: { readonly host: string; readonly port: number };
    readonly start: undefined;
    readonly secret: string;
    readonly model: string | undefined;
  };
  /** Types of the orders that came, pings aside. */
  readonly orders: string[] = [];
  socket: TLSSocket | undefined;
  /** Called with each order, beside the answer. */
  onOrder: (order: { type: string; data?: string; answer?: boolean }) => unknown = () => undefined;

  private constructor(name: string, port: number) {
    const control = { host: '127.0.0.1', port };
    this.host = { name, control, start: undefined, secret: SECRET, model: undefined };
  }

  /** `answers`: what is said to an order of this type, and as `hello` to a new connection; pings are answered. */
  static async start(answers: Readonly<Record<string, string | object>> = {}, name = 'two') {
    const worker = new ScriptedWorker(name, await freePort());
    const server = await listenSecurely(worker.host.control, SECRET, socket => {
      worker.socket = socket;
      socket.on('error', () => undefined);
      const answer = (type: string) => {
        const said =
          answers[type] ?? (type === 'ping' ? { type: 'pong', sums: 0, waits: false, bytes: 0 } : undefined);
        if (said !== undefined) worker.say(said);
      };
      answer('hello');
      let text = '';
      socket.on('data', chunk => {
        text += String(chunk);
        const lines = text.split('\n');
        text = lines.pop() as string;
        for (const line of lines) {
          const order = JSON.parse(line) as { type: string };
          if (order.type !== 'ping') worker.orders.push(order.type);
          answer(order.type);
          worker.onOrder(order);
        }
      });
    });
    onTestFinished(() => {
      worker.socket?.destroy();
      server.close();
    });
    return worker;
  }

  get title(): string {
    return `${this.host.name} (127.0.0.1:${this.host.control.port})`;
  }

  say(report: string | object): void {
    this.socket?.write(typeof report === 'string' ? report : `${JSON.stringify(report)}\n`);
  }
}
