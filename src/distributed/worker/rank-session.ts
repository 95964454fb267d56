import { type ChildProcess, fork } from 'node:child_process';
import type { TLSSocket } from 'node:tls';
import { Channel } from '../link/channel.ts';
import { Heartbeat } from '../link/heartbeat.ts';
import { type Order, type Report, readOrder } from '../link/messages.ts';

/** The first machine asks for a sign of life each second. */
const MOST_SILENT = 10;

/** Serves one program on the first machine, in a process of its own, until either goes away. */
export class RankSession {
  /** When nothing of it is left; why it ended, for people. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #channel: Channel;
  readonly #heartbeat: Heartbeat;
  #why = '';

  /** @param program the process that computes this machine's part: src/cli/worker/rank-process.ts */
  constructor(socket: TLSSocket, program: string) {
    this.#child = fork(program, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    this.#channel = new Channel(socket, {
      onMessage: message => {
        this.#heartbeat.heard();
        this.#take(readOrder(message));
      },
      onClose: why => this.#end(why === undefined ? 'the worker ends' : `the first machine ${why}`),
    });
    this.#heartbeat = new Heartbeat(
      () => undefined,
      seconds => {
        this.#end(`the first machine has said nothing for ${seconds} s`);
        this.#channel.close();
      },
      MOST_SILENT,
    );
    this.#child.on('message', (report: Report) => this.#channel.send(report));
    this.#child.on('error', error => this.#fail(`its process cannot be started (${error.message})`));
    this.ended = new Promise(resolve => {
      // One that cannot be started never exits. And what it has said last is there by then.
      this.#child.once('close', (code, signal) => {
        if (this.#why === '') this.#fail(`its process has ended (${signal ?? `exit code ${code}`})`);
        resolve(this.#why);
      });
    });
  }

  close(): void {
    this.#channel.close();
  }

  #take(order: Order): void {
    // Answered here: the way to the process is none of the connection.
    if (order.type !== 'probe') this.#child.send(order, () => undefined);
    else if (order.answer) this.#channel.send({ type: 'probed' } satisfies Report);
  }

  #fail(message: string): void {
    this.#channel.send({ type: 'failed', code: 'ENGINE', message } satisfies Report);
    this.#end(message);
    this.#channel.close();
  }

  #end(why: string): void {
    this.#heartbeat.stop();
    if (this.#why !== '') return;
    this.#why = why;
    this.#child.kill('SIGKILL');
  }
}
