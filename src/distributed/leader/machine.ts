import { LlmHostError, messageOf } from '../../errors.ts';
import type { GroupProgress } from '../../native/addon-types.ts';
import { addressText } from '../link/address.ts';
import { Channel } from '../link/channel.ts';
import { Heartbeat } from '../link/heartbeat.ts';
import { type Order, type Report, readReport } from '../link/messages.ts';
import { connectSecurely } from '../link/secure-connection.ts';
import type { WorkerHost } from './group-hosts.ts';
import { type StartedWorker, startWorker } from './start-worker.ts';

type Answer<T extends Report['type']> = Extract<Report, { type: T }>;
interface Waiting {
  readonly type: Report['type'];
  readonly resolve: (report: Report) => void;
  readonly reject: (error: Error) => void;
}

/** The worker on another machine. */
export class Machine {
  /** `laptop (10.0.0.2:9001)` */
  readonly title: string;
  /** Why it is gone, for a sentence that begins with its title; pending while it is there. */
  readonly lost: Promise<LlmHostError>;
  readonly #host: WorkerHost;
  readonly #started: StartedWorker | undefined;
  #channel!: Channel;
  #heartbeat: Heartbeat | undefined;
  #waiting: Waiting | undefined;
  /** Said before anybody asked, as `hello` may be. */
  #early: Report | undefined;
  #error: LlmHostError | undefined;
  #tellLost: (error: LlmHostError) => void = () => undefined;
  #closed = false;
  #progress: GroupProgress | undefined;
  #progressBefore: GroupProgress | undefined;

  private constructor(host: WorkerHost, started: StartedWorker | undefined) {
    this.#host = host;
    this.#started = started;
    this.title = titleOf(host);
    this.lost = new Promise(resolve => {
      this.#tellLost = resolve;
    });
  }

  /** Starts the worker if need be, and connects. Throws LlmHostError that names the machine. */
  static async connect(host: WorkerHost): Promise<Machine> {
    const started = host.start && (await startWorker(host, titleOf(host)));
    const machine = new Machine(host, started);
    try {
      const socket = await connectSecurely(host.control, started?.secret ?? (host.secret as string));
      machine.#channel = new Channel(socket, {
        onMessage: message => machine.#hear(readReport(message)),
        onClose: why =>
          why !== undefined && machine.#lose(new LlmHostError('ENGINE', `${machine.title} ${why}`)),
      });
      machine.#heartbeat = new Heartbeat(
        () => machine.tell({ type: 'ping' }),
        seconds => {
          machine.#lose(new LlmHostError('ENGINE', `${machine.title} has not answered for ${seconds} s`));
        },
      );
      return machine;
    } catch (error) {
      started?.end();
      throw cannotConnect(host, error as NodeJS.ErrnoException);
    }
  }

  /** Where the model is there. */
  model(here: string): string {
    return this.#host.model ?? here;
  }

  /** The progress of its sums since this was last asked, or the time before: beats and looks need not take turns. */
  takeProgress(): GroupProgress | undefined {
    const progress = this.#progress ?? this.#progressBefore;
    this.#progressBefore = this.#progress;
    this.#progress = undefined;
    return progress;
  }

  tell(order: Order): void {
    this.#channel.send(order);
  }

  /** The next report of this kind. Throws LlmHostError that names the machine if it fails or goes away. */
  async hear<T extends Report['type']>(type: T): Promise<Answer<T>> {
    if (this.#error) throw this.#error;
    if (this.#closed) throw this.#noLongerNeeded();
    const early = this.#early;
    this.#early = undefined;
    const report =
      early ??
      (await new Promise<Report>((resolve, reject) => {
        this.#waiting = { type, resolve, reject };
      }));
    if (report.type === type) return report as Answer<T>;
    throw this.#lose(
      new LlmHostError('ENGINE', `${this.title} has said '${report.type}' instead of '${type}'`),
    );
  }

  /** The worker ends its process for this program, and itself if it was started for it. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#heartbeat?.stop();
    this.#channel.close();
    this.#waiting?.reject(this.#noLongerNeeded());
    this.#waiting = undefined;
    this.#started?.end();
    await this.#started?.ended;
  }

  #hear(report: Report): void {
    this.#heartbeat?.heard();
    if (report.type === 'pong') {
      this.#progress = report;
      return;
    }
    if (report.type === 'failed') {
      const { code, message, hint } = report;
      this.#lose(new LlmHostError(code, `${this.title}: ${message}`, hint === undefined ? {} : { hint }));
      return;
    }
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) waiting.resolve(report);
    else if (this.#early === undefined) this.#early = report;
    else this.#lose(new LlmHostError('ENGINE', `${this.title} has said '${report.type}' unasked`));
  }

  #noLongerNeeded(): LlmHostError {
    return new LlmHostError('CANCELLED', `${this.title} is no longer needed`);
  }

  #lose(error: LlmHostError): LlmHostError {
    if (this.#closed) return error;
    this.#error ??= error;
    this.#heartbeat?.stop();
    this.#waiting?.reject(this.#error);
    this.#waiting = undefined;
    this.#tellLost(this.#error);
    return this.#error;
  }
}

const titleOf = ({ name, control }: WorkerHost) => `${name} (${addressText(control)})`;

/** The errors by which a worker's TLS rejects a key that is not its own. */
const OTHER_SECRET = /^ERR_SSL_.*(BAD_RECORD_MAC|DECRYPT_ERROR|UNKNOWN_PSK_IDENTITY)$/;

function cannotConnect(host: WorkerHost, error: NodeJS.ErrnoException): LlmHostError {
  const title = titleOf(host);
  const listen = `llm-host worker --listen ${addressText(host.control)} --secret-file FILE`;
  if (OTHER_SECRET.test(error.code ?? ''))
    return new LlmHostError('ENGINE', `${title} has another secret`, {
      hint: 'The secretFile of the hosts file and the --secret-file of the worker must hold the same text.',
    });
  const what =
    error.code === 'ECONNREFUSED'
      ? 'runs no worker'
      : error.code?.startsWith('ERR_SSL')
        ? 'runs another program there'
        : `cannot be reached (${error.code ?? messageOf(error)})`;
  return new LlmHostError('ENGINE', `${title} ${what}`, { hint: `There, run: ${listen}` });
}
