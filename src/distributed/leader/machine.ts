import { type ChildProcess, spawn } from 'node:child_process';
import { LlmHostError, messageOf } from '../../errors.ts';
import type { GroupProgress } from '../../native/addon-types.ts';
import { addressText } from '../link/address.ts';
import { Channel, Heartbeat } from '../link/channel.ts';
import { type Order, type Report, readReport } from '../link/messages.ts';
import { newSecret } from '../link/secret.ts';
import { connectSecurely } from '../link/secure-connection.ts';
import type { WorkerHost } from './group-hosts.ts';

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
    throw this.#lose(new LlmHostError('ENGINE', `${this.title} sent '${report.type}' instead of '${type}'`));
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
    else this.#lose(new LlmHostError('ENGINE', `${this.title} sent '${report.type}' unexpectedly`));
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
    return new LlmHostError('ENGINE', `${title} has a different secret`, {
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

/** For ssh to connect, and the worker to listen. */
const START_MS = 20_000;
const KEPT_CHARACTERS = 2000;

/** A worker that ends with its stdin, and so with this program, whatever happens to that. */
interface StartedWorker {
  readonly secret: string;
  readonly ended: Promise<void>;
  end(): void;
}

/** Starts a worker over ssh. Throws LlmHostError that names the machine. */
export async function startWorker(
  { start = [], control }: WorkerHost,
  title: string,
  startMs = START_MS,
): Promise<StartedWorker> {
  const [program = '', ...args] = start;
  const options = ['worker', '--listen', addressText(control), '--secret-file', '-', '--once'];
  // A group of its own: Ctrl+C in the terminal must not end the connection before the worker has been told.
  const child = spawn(program, [...args, ...options], { stdio: 'pipe', detached: true });
  const secret = newSecret();
  let said = '';
  child.stderr.on('data', chunk => {
    said = `${said}${String(chunk)}`.slice(-KEPT_CHARACTERS);
  });
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${secret}\n`);
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()));
  const end = () => {
    child.stdin.end();
    // An ssh whose connection is dead does not end by itself.
    setTimeout(() => child.kill('SIGKILL'), 2000).unref();
  };
  try {
    await listening(child, title, startMs, () => said);
  } catch (error) {
    end();
    child.kill();
    throw error;
  }
  return { secret, ended, end };
}

async function listening(
  child: ChildProcess,
  title: string,
  startMs: number,
  said: () => string,
): Promise<void> {
  const fault = (what: string) =>
    new LlmHostError('ENGINE', `the worker on ${title} ${what}`, { hint: lastLines(said()) });
  let limit: NodeJS.Timeout | undefined;
  const started = new Promise<void>((resolve, reject) => {
    limit = setTimeout(() => reject(fault(`has not started after ${startMs / 1000} s`)), startMs);
    let output = '';
    child.stdout?.on('data', chunk => {
      if (output.length < KEPT_CHARACTERS) output += String(chunk);
      if (/^Listening on /m.test(output)) resolve();
    });
    child.once('error', error => reject(fault(`cannot be started (${error.message})`)));
    child.once('close', code => reject(fault(`has not started: ssh ended with ${code}`)));
  });
  await started.finally(() => clearTimeout(limit));
}

const lastLines = (text: string) => text.trim().split('\n').slice(-5).join('\n');
