import { NativeJob } from '../../engine/native-job.ts';
import { LlmHostError } from '../../errors.ts';
import { checkShare } from '../../model/distributed/check-share.ts';
import { type ReadModel, readModel } from '../../model/load-model.ts';
import { localSource } from '../../model/model-source.ts';
import type { NativeModel } from '../../native/addon-types.ts';
import { loadAddon } from '../../native/load-addon.ts';
import { failure, fromWire, type Order, type Report, type SharedLoading } from '../link/messages.ts';
import { markOf } from '../model-mark.ts';
import { inRing, JOIN_MS, mustReach } from '../ring.ts';

type OrderOf<T extends Order['type']> = Extract<Order, { type: T }>;

/** One of the processes that share a model, but not the first: does what that one orders, in this order. */
export class Rank {
  readonly #say: (report: Report) => void;
  #compared: { readonly read: ReadModel; readonly loading: SharedLoading } | undefined;
  #model: NativeModel | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(say: (report: Report) => void) {
    this.#say = say;
  }

  take(order: Order): void {
    if (order.type === 'probe') return;
    if (order.type === 'ping') {
      this.#say({ type: 'pong', ...loadAddon().groupProgress() });
      return;
    }
    this.#last = this.#last.then(async () => {
      try {
        await this.#do(order);
      } catch (error) {
        this.#say(failure(error));
      }
    });
  }

  async #do(order: Exclude<Order, { type: 'ping' | 'probe' }>): Promise<void> {
    switch (order.type) {
      case 'compare':
        return await this.#compare(order);
      case 'load':
        return await this.#load(order);
      case 'run':
        return this.#run(order);
      case 'close':
        await this.#model?.close();
        this.#model = undefined;
        return this.#say({ type: 'closed' });
    }
  }

  async #compare({ model, machines, loading }: OrderOf<'compare'>): Promise<void> {
    const where = { cwd: process.cwd(), env: process.env };
    const read = readModel(localSource(model, where), {
      contextLength: loading.contextLength,
      kvBits: loading.kvBits,
      exact: loading.exact,
      adapter: loading.adapter,
      quantize: loading.quantize,
      anyMemory: true,
      ...where,
    });
    checkShare(read, { machines, first: false }, loading.cacheBytes);
    this.#compared = { read, loading };
    this.#say({ type: 'compared', facts: await markOf(read) });
  }

  async #load({ ring, rank, limitMs }: OrderOf<'load'>): Promise<void> {
    if (!this.#compared || this.#model) throw new LlmHostError('USAGE', 'there is nothing to load');
    const { read, loading } = this.#compared;
    const { cacheBytes, parallel } = loading;
    const spec = { ...read.spec, cacheBytes, parallel, group: { limitMs, joinMs: JOIN_MS } };
    this.#model = await inRing(ring, rank, () => loadAddon().load(spec, () => undefined)).catch(error => {
      if (error.code !== 'ENGINE') throw error;
      throw new LlmHostError('ENGINE', error.message, { hint: mustReach(ring), cause: error });
    });
    this.#say({ type: 'loaded', weightBytes: this.#model.info.weightBytes });
  }

  #run({ request }: OrderOf<'run'>): void {
    if (!this.#model) throw new LlmHostError('USAGE', 'there is no model yet');
    const job = new NativeJob(this.#model, fromWire(request));
    void this.#follow(job);
  }

  async #follow(job: NativeJob): Promise<void> {
    try {
      for (;;) {
        const event = await job.next();
        if (event.type === 'end') return;
        if (event.type === 'error') throw Object.assign(new Error(event.message), { code: event.code });
      }
    } catch (error) {
      this.#say(failure(error));
    }
  }
}
