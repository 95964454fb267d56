import { type ChildProcess, fork } from 'node:child_process';
import type { TLSSocket } from 'node:tls';
import { LlmHostError, messageOf } from '../../errors.ts';
import { type Address, addressText } from '../link/address.ts';
import { Channel, Heartbeat } from '../link/channel.ts';
import { type Order, type Report, readOrder } from '../link/messages.ts';
import { listenSecurely } from '../link/secure-connection.ts';

export interface WorkerOptions {
  readonly listen: Address;
  readonly secret: string;
  /** See RankSession. */
  readonly rankProcess: string;
  /** End with the first program that uses it. */
  readonly once: boolean;
  /** Called with a sentence for each event. */
  readonly onNote: (note: string) => void;
}

export interface Worker {
  /** When it has ended: after `close`, or with `once`. */
  readonly ended: Promise<void>;
  /** Ends the process of the program that uses it, and listens no more. Idempotent. */
  close(): Promise<void>;
}

const BUSY: Report = { type: 'failed', code: 'USAGE', message: 'it works for another program already' };

/** Lets programs on other machines that have the secret compute on this one, one at a time. Throws LlmHostError USAGE. */
export async function runWorker(options: WorkerOptions): Promise<Worker> {
  const { listen, secret, rankProcess, once, onNote } = options;
  let session: RankSession | undefined;
  let finish: () => void = () => undefined;
  const ended = new Promise<void>(resolve => {
    finish = resolve;
  });
  /** Until the program goes away: why. */
  const serve = async (socket: TLSSocket): Promise<string> => {
    try {
      session = new RankSession(socket, rankProcess);
      return await session.ended;
    } catch (error) {
      // Some faults are thrown by `fork` itself, such as an executable that is being replaced.
      const message = `its process cannot be started (${messageOf(error)})`;
      turnAway(socket, { type: 'failed', code: 'ENGINE', message });
      return message;
    } finally {
      session = undefined;
    }
  };
  const accept = async (socket: TLSSocket) => {
    const from = `${socket.remoteAddress}`;
    if (session) return turnAway(socket, BUSY);
    onNote(`A program on ${from} uses this machine.`);
    onNote(`It does no more: ${await serve(socket)}.`);
    if (once) await close();
  };
  const server = await listenSecurely(listen, secret, socket => void accept(socket)).catch(error => {
    throw cannotListen(listen, error);
  });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= (async () => {
      server.close();
      session?.close();
      await session?.ended;
      finish();
    })();
    return closing;
  };
  return { ended, close };
}

function turnAway(socket: TLSSocket, report: Report): void {
  socket.on('error', () => undefined);
  socket.end(`${JSON.stringify(report)}\n`);
}

function cannotListen(address: Address, error: NodeJS.ErrnoException): LlmHostError {
  const what = error.code === 'EADDRINUSE' ? 'another program listens there' : messageOf(error);
  const hint =
    error.code === 'EADDRNOTAVAIL'
      ? 'It must be an address of this machine: `ip addr` or `ifconfig` shows them.'
      : '';
  return new LlmHostError('USAGE', `--listen ${addressText(address)}: ${what}`, hint ? { hint } : {});
}

/** The first machine asks for a sign of life each second. */
const MOST_SILENT = 10;

/** Serves one program on the first machine, in a process of its own, until either goes away. */
class RankSession {
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
