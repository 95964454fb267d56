import type { EngineEvent, FinishReason, TokenEvent } from '../../engine/engine.ts';
import { type EngineJob, type JobEngine, type JobResult, joinedRuns } from '../../engine/engine-job.ts';
import type { Delimiters } from '../../parse/types/format.ts';

/** Characters that a mark may be spread over. */
const TAIL = 100;

export interface ThoughtLimitOptions {
  /** Tokens of all thoughts of the reply. */
  readonly budget: number;
  /** The marks that the model puts around them. */
  readonly marks: readonly Delimiters[];
  /** The end of the prompt, which may begin a thought. */
  readonly prompt: string;
  /** Ids of a text with special tokens. */
  readonly encode: (text: string) => readonly number[];
}

/** Closes the thoughts of one reply once their budget is spent; the model continues behind them. */
export class ThoughtLimit {
  readonly #options: ThoughtLimitOptions;
  readonly #marks: readonly Delimiters[];
  /** The marks of the thought that is open. */
  #open: Delimiters | undefined;
  #tail = '';
  #tokens = 0;

  constructor(options: ThoughtLimitOptions) {
    this.#options = options;
    this.#marks = options.marks.filter(({ closer }) => closer !== '');
    const end = options.prompt.trimEnd();
    this.#open = this.#marks.find(({ opener }) => end.endsWith(opener.trimEnd()));
  }

  /** Tokens of thoughts so far. */
  get tokens(): number {
    return this.#tokens;
  }

  /** `engine.events`, with the closing marks among the tokens. The result describes all runs as one. */
  async *events(
    engine: Pick<JobEngine, 'events' | 'info'>,
    job: EngineJob,
  ): AsyncGenerator<EngineEvent, JobResult> {
    const ids: number[] = [];
    let total: JobResult | undefined;
    while (true) {
      const closing = this.#spent ? this.#closing() : undefined;
      // The closing marks count too: they are of no use without room for a token behind it.
      const end = whyOver(engine, job, ids.length + (closing?.ids.length ?? 0));
      if (total && end) return { ...total, finishReason: end, generatedTokens: ids.length };
      if (closing && !end) yield* this.#close(ids, closing);
      // One reply is one use of what prompts share, however many runs it takes.
      const asked = total ? { ...job, sharedTokens: 0 } : job;
      const run = yield* this.#run(engine, continued(asked, ids), { ids, isFirst: total === undefined });
      total = joinedRuns(total, run, ids.length);
      if (!this.#spent || job.signal?.aborted || run.finishReason === 'length') return total;
    }
  }

  get #spent(): boolean {
    return this.#open !== undefined && this.#tokens >= this.#options.budget;
  }

  async *#run(
    engine: Pick<JobEngine, 'events'>,
    job: EngineJob,
    { ids, isFirst }: { readonly ids: number[]; readonly isFirst: boolean },
  ): AsyncGenerator<EngineEvent, JobResult> {
    const stop = new AbortController();
    const signal = job.signal ? AbortSignal.any([job.signal, stop.signal]) : stop.signal;
    const events = engine.events({ ...job, signal });
    try {
      for (let step = await events.next(); ; step = await events.next()) {
        if (step.done) return step.value;
        // Tokens generated ahead are dropped, and a prompt that later runs read again is not worth showing.
        if (stop.signal.aborted || (step.value.type === 'prefill' && !isFirst)) continue;
        if (step.value.type === 'token') {
          ids.push(step.value.token.id);
          this.#see(step.value.token);
          // Never inside a character.
          if (this.#spent && step.value.token.text !== '') stop.abort();
        }
        yield step.value;
      }
    } finally {
      await events.return?.(undefined as never);
    }
  }

  #see({ text }: TokenEvent): void {
    this.#tail += text;
    const open = this.#open;
    if (open) this.#tokens += 1;
    const mark = open ? open.closer : this.#marks.find(({ opener }) => this.#tail.includes(opener))?.opener;
    const at = mark === undefined ? -1 : this.#tail.indexOf(mark);
    if (mark === undefined || at < 0) {
      this.#tail = this.#tail.slice(-TAIL);
      return;
    }
    this.#open = open ? undefined : this.#marks.find(({ opener }) => opener === mark);
    this.#tail = this.#tail.slice(at + mark.length);
  }

  /** As the model would have closed it. */
  #closing(): Closing {
    const closer = this.#open?.closer ?? '';
    const text = closer.startsWith('</') ? `\n${closer}\n\n` : closer;
    return { text, ids: this.#options.encode(text) };
  }

  /** The text comes with the last token. */
  *#close(ids: number[], closing: Closing): Generator<EngineEvent> {
    this.#open = undefined;
    this.#tail = '';
    ids.push(...closing.ids);
    for (const [index, id] of closing.ids.entries()) {
      yield { type: 'token', token: { id, text: index === closing.ids.length - 1 ? closing.text : '' } };
    }
  }
}

interface Closing {
  readonly text: string;
  readonly ids: readonly number[];
}

function continued(job: EngineJob, ids: readonly number[]): EngineJob {
  if (ids.length === 0) return job;
  const { allowedFirst: _mask, callStart: _call, maxTokens, ...rest } = job;
  return {
    ...rest,
    promptIds: [...Array.from(job.promptIds), ...ids],
    continued: (job.continued ?? 0) + ids.length,
    ...(maxTokens !== undefined && { maxTokens: maxTokens - ids.length }),
  };
}

/** Why nothing more can be generated after `generated` tokens. */
function whyOver(
  { info }: Pick<JobEngine, 'info'>,
  { maxTokens, promptIds }: EngineJob,
  generated: number,
): FinishReason | undefined {
  if (maxTokens !== undefined && generated >= maxTokens) return 'length';
  return promptIds.length + generated >= info.contextLength ? 'full' : undefined;
}
