import { LlmHostError } from '../../errors.ts';
import type { GroupProgress, NativeRequest } from '../../native/addon-types.ts';
import { loadAddon } from '../../native/load-addon.ts';
import { type ModelMark, PROTOCOL, type SharedLoading, toWire } from '../link/messages.ts';
import { mustReach } from '../ring.ts';
import type { GroupHosts, WorkerHost } from './group-hosts.ts';
import { Machine } from './machine.ts';

const DIFFERENT: Readonly<Record<keyof ModelMark, string>> = {
  weights: 'other weights',
  tokenizer: 'another tokenizer',
  template: 'another chat template',
  adapters: 'other adapters',
  numbers: 'another kind of device or precision',
};

const LOOK_MS = 1000;
/** Within which a machine that is gone is known to be. */
const REASON_MS = 1000;

/** The other machines that share a model with this one, the first. */
export class MachineGroup {
  readonly ring: readonly string[];
  readonly #machines: readonly Machine[];
  #lost: LlmHostError | undefined;
  readonly #whenLost: Promise<LlmHostError>;
  #tellLost: (error: LlmHostError) => void = () => undefined;
  #closed: Promise<void> | undefined;
  #runs = 0;
  readonly #looking: NodeJS.Timeout;

  private constructor(ring: readonly string[], machines: readonly Machine[]) {
    this.ring = ring;
    this.#machines = machines;
    this.#whenLost = new Promise(resolve => {
      this.#tellLost = resolve;
    });
    for (const machine of machines) void machine.lost.then(error => this.giveUp(error));
    const path = new DataPath();
    this.#looking = setInterval(() => {
      const others = machines.map(machine => machine.takeProgress());
      if (path.look([loadAddon().groupProgress(), ...others])) this.giveUp(this.#noData());
    }, LOOK_MS);
  }

  /** Connects to all of them. Throws LlmHostError that names the machine. */
  static async connect({ ring, workers }: GroupHosts, version: string): Promise<MachineGroup> {
    const group = new MachineGroup(ring, await connectAll(workers));
    try {
      await group.#greet(version);
      return group;
    } catch (error) {
      await group.close();
      throw error;
    }
  }

  get size(): number {
    return this.#machines.length + 1;
  }

  /** Names, for people. */
  get titles(): readonly string[] {
    return this.#machines.map(machine => machine.title);
  }

  /** Requests that were given to the others. */
  get runs(): number {
    return this.#runs;
  }

  /** The group is of no use any more. -> why: the first reason counts */
  giveUp(error: LlmHostError): LlmHostError {
    if (this.#lost) return this.#lost;
    this.#lost = error;
    clearInterval(this.#looking);
    // Fails the steps that wait here for the others.
    loadAddon().abandonGroup(error.message);
    this.#tellLost(error);
    return error;
  }

  lostNow(): LlmHostError | undefined {
    return this.#lost;
  }

  /** Why a machine is gone; waits up to `ms` milliseconds to learn it. */
  async lost(ms: number): Promise<LlmHostError | undefined> {
    if (this.#lost) return this.#lost;
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<undefined>(resolve => {
      timer = setTimeout(() => resolve(undefined), ms);
    });
    return await Promise.race([this.#whenLost, limit]).finally(() => clearTimeout(timer));
  }

  /** Throws LlmHostError that names the machine whose model is another. */
  async compare(model: string, own: ModelMark, loading: SharedLoading): Promise<void> {
    await this.#all(async machine => {
      machine.tell({ type: 'compare', model: machine.model(model), machines: this.size, loading });
      const { facts } = await machine.hear('compared');
      const other = (Object.keys(DIFFERENT) as (keyof ModelMark)[]).find(key => facts[key] !== own[key]);
      if (other === undefined) return;
      throw new LlmHostError(
        'USAGE',
        `${machine.title} has ${DIFFERENT[other]} than this machine for ${model}`,
        {
          hint: 'Both machines need the same files and the same kind of device.',
        },
      );
    });
  }

  /** Has all other machines load their parts; `here` loads this machine's own. */
  async load<T>(limitMs: number, here: () => Promise<T>): Promise<T> {
    for (const [index, machine] of this.#machines.entries())
      machine.tell({ type: 'load', ring: [...this.ring], rank: index + 1, limitMs });
    const others = this.#all(machine => machine.hear('loaded'));
    others.catch(() => undefined);
    const loaded = await here().catch(async error => {
      throw await this.#whyNotLoaded(error);
    });
    await others;
    return loaded;
  }

  /**
   * A fault of the model is found by the other machines too; a group that this machine cannot join, they may have left.
   */
  async #whyNotLoaded(error: unknown): Promise<unknown> {
    if (!(error instanceof LlmHostError) || error.code !== 'ENGINE') return error;
    const named = new LlmHostError('ENGINE', `with ${this.titles.join(', ')}: ${error.message}`, {
      hint: mustReach(this.ring),
    });
    return (await this.lost(REASON_MS)) ?? this.giveUp(named);
  }

  run(request: NativeRequest): void {
    this.#runs += 1;
    const wire = toWire(request);
    for (const machine of this.#machines) machine.tell({ type: 'run', request: wire });
  }

  /** Ends the others' part. Idempotent. */
  close(): Promise<void> {
    clearInterval(this.#looking);
    this.#closed ??= Promise.all(this.#machines.map(machine => machine.close())).then(() => undefined);
    return this.#closed;
  }

  #noData(): LlmHostError {
    const others = this.titles.join(', ');
    return new LlmHostError(
      'ENGINE',
      `${others}: the data between the machines no longer arrives, at ${this.ring.join(', ')}`,
    );
  }

  async #greet(version: string): Promise<void> {
    const mlx = loadAddon().versions.mlxLoaded;
    await this.#all(async machine => {
      const hello = await machine.hear('hello');
      if (hello.version !== version || hello.protocol !== PROTOCOL)
        throw other(machine, `llm-host ${hello.version}`, version);
      if (hello.mlx !== mlx) throw other(machine, `MLX ${hello.mlx}`, mlx);
    });
  }

  /** The first error of any; all have answered or failed by then, or are not waited for. */
  async #all<T>(ask: (machine: Machine) => Promise<T>): Promise<T[]> {
    return await Promise.all(this.#machines.map(ask));
  }
}

function other(machine: Machine, theirs: string, ours: string): LlmHostError {
  return new LlmHostError('ENGINE', `${machine.title} has ${theirs}, this machine ${ours}`, {
    hint: 'Install the same version on all machines.',
  });
}

async function connectAll(workers: readonly WorkerHost[]): Promise<Machine[]> {
  const results = await Promise.allSettled(workers.map(worker => Machine.connect(worker)));
  const machines = results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = results.find(result => result.status === 'rejected');
  if (!failed) return machines;
  await Promise.all(machines.map(machine => machine.close()));
  throw failed.reason;
}

/** Looks, one a second, at which all wait and nothing has come. */
const MOST_STILL = 5;
/** A slower connection than 16 Mbit/s is of no use for sums of each layer. */
const SLOWEST_BYTES_PER_LOOK = 2_000_000;

/** Tells when all machines wait for each other's data and none comes, though each of them answers. */
export class DataPath {
  #before = '';
  #still = 0;

  /**
   * Once a second, with what each machine has said since the last look; undefined: nothing. Looks are counted, not
   * seconds: whoever was stopped itself must not take that for the others' silence.
   * -> whether it is broken
   */
  look(all: readonly (GroupProgress | undefined)[]): boolean {
    const known = all.filter(progress => progress !== undefined);
    // Who is silent is not waiting, as far as one can tell: the heartbeat reports that machine.
    if (known.length < all.length) return false;
    const now = known.map(({ sums }) => sums).join();
    if (now !== this.#before || known.some(({ waits }) => !waits)) this.#still = 0;
    else this.#still += 1;
    this.#before = now;
    const bytes = Math.max(...known.map(progress => progress.bytes));
    return this.#still >= MOST_STILL + Math.floor(bytes / SLOWEST_BYTES_PER_LOOK);
  }
}
