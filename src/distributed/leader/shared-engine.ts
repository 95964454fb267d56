import type { EngineEvent, SavedCache, TokenEvent } from '../../engine/engine.ts';
import {
  type EngineJob,
  type JobEngineInfo,
  type JobResult,
  type LocalJobEngine,
  tokensOf,
} from '../../engine/engine-job.ts';
import { LlmHostError, messageOf } from '../../errors.ts';
import type { MachineGroup } from './machine-group.ts';

/** A local failure, such as a lost connection of the ring, shows on the control channel within this time. */
const GRACE_MS = 7000;

const START_AGAIN =
  'Start the worker again, and then this program; --resume goes on with a saved conversation.';

export interface SharedEngineOptions {
  /** This machine's part. */
  readonly engine: LocalJobEngine;
  readonly group: MachineGroup;
  /** Throws LlmHostError if this machine cannot hold the whole model. */
  readonly checkAlone: () => void;
  readonly loadAlone: () => Promise<LocalJobEngine>;
}

/** A model that several machines share. When one is lost, the reply ends, and the next one is made here alone. */
export class SharedEngine implements LocalJobEngine {
  readonly #options: SharedEngineOptions;
  #engine: LocalJobEngine;
  #alone: Promise<LocalJobEngine> | undefined;
  #closed = false;
  /** Whether the user knows that a machine is gone. */
  #told = false;

  constructor(options: SharedEngineOptions) {
    this.#options = options;
    this.#engine = options.engine;
  }

  get info(): JobEngineInfo {
    return this.#engine.info;
  }

  generate(job: EngineJob): AsyncGenerator<TokenEvent, JobResult> {
    return tokensOf(this.events(job), job.onPrefill);
  }

  async *events(job: EngineJob): AsyncGenerator<EngineEvent, JobResult> {
    const { group, engine } = this.#options;
    if (group.lostNow()) return yield* (await this.#goOnAlone()).events(job);
    const replies = engine.events(job);
    const before = group.runs;
    const first = replies.next();
    // A fault of the request is found before the others hear of it.
    const started = group.runs > before;
    try {
      for (let step = await first; ; step = await replies.next()) {
        if (step.done) return step.value;
        yield step.value;
      }
    } catch (error) {
      if (!started || !(error instanceof LlmHostError)) throw error;
      throw this.#afterLoss((await group.lost(GRACE_MS)) ?? group.giveUp(error));
    } finally {
      await replies.return(undefined as never);
    }
  }

  /** That a machine was lost while nothing ran. */
  takeNotices(): readonly string[] {
    const lost = this.#options.group.lostNow();
    if (this.#told || !lost) return [];
    this.#told = true;
    return [`${lost.message}; this machine loads the whole model to go on alone`];
  }

  saveCache(_path: string): Promise<SavedCache> {
    return Promise.reject(notInFiles());
  }

  loadCache(_path: string): Promise<SavedCache> {
    return Promise.reject(notInFiles());
  }

  async close(): Promise<void> {
    this.#closed = true;
    const alone = await this.#alone?.catch(() => undefined);
    await Promise.all([this.#options.engine.close(), alone?.close()]);
    // Not before: a machine that hangs meanwhile is noticed by the group, which then ends the sum that waits for it.
    await this.#options.group.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #afterLoss(lost: LlmHostError): LlmHostError {
    this.#told = true;
    const whyNot = this.#whyNotAlone();
    const hint =
      whyNot === undefined
        ? 'The next prompt loads the whole model on this machine and goes on here. To share it again, start this program again.'
        : `This machine cannot continue alone (${whyNot}). ${START_AGAIN}`;
    return new LlmHostError('ENGINE', `${lost.message}; the reply ends here`, { hint });
  }

  #whyNotAlone(): string | undefined {
    try {
      this.#options.checkAlone();
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  #goOnAlone(): Promise<LocalJobEngine> {
    this.#alone ??= this.#loadAlone().catch(error => {
      this.#alone = undefined;
      throw error;
    });
    return this.#alone;
  }

  async #loadAlone(): Promise<LocalJobEngine> {
    const { engine, group, loadAlone } = this.#options;
    if (this.#closed) throw new LlmHostError('ENGINE', 'the model has been closed');
    // A sum here may wait for its limit, which the other machines need not wait for: the group has been given up already.
    await Promise.all([engine.close(), group.close()]);
    const whyNot = this.#whyNotAlone();
    if (whyNot !== undefined) {
      const lost = group.lostNow()?.message ?? 'a machine is gone';
      throw new LlmHostError('ENGINE', `${lost}, and this machine cannot continue alone (${whyNot})`, {
        hint: START_AGAIN,
      });
    }
    const whole = await loadAlone();
    this.#engine = whole;
    return whole;
  }
}

const notInFiles = () =>
  new LlmHostError('CACHE', 'a model that several machines share cannot save or load its cache');
