import { dirname } from 'node:path';
import { messageOf } from '../../errors.ts';
import type { AttemptLabel, Repair } from '../../parse/calls/resolve-call.ts';
import { makeFolder } from '../../text/files/make-folder.ts';
import { appendText } from '../../text/files/open-for-writing.ts';

/** One of the model's attempts at a tool call. */
export interface AttemptRecord {
  readonly model: string;
  readonly tool: string;
  readonly label: AttemptLabel;
  /** 0 for the first attempt. */
  readonly attempt: number;
  readonly repairs: readonly Repair[];
}

/** How well a model calls tools, since the program started. */
export interface ToolMetricsSummary {
  /** Retries of a call are not counted again. */
  readonly calls: number;
  readonly firstAttempt: number;
  readonly afterRetry: number;
  readonly failed: number;
  readonly retries: number;
  /** Failed attempts by kind of error. */
  readonly errors: Readonly<Record<string, number>>;
  readonly repairs: Readonly<Record<string, number>>;
  readonly generatedTokens: number;
}

/** Counts attempts at tool calls by outcome, and passes each to `onAttempt`. */
export class ToolMetrics {
  readonly #model: string;
  readonly #onAttempt: ((record: AttemptRecord) => void) | undefined;
  #firstAttempt = 0;
  #afterRetry = 0;
  #failed = 0;
  #retries = 0;
  #generatedTokens = 0;
  readonly #errors = new Map<string, number>();
  readonly #repairs = new Map<string, number>();

  constructor(model: string, onAttempt?: (record: AttemptRecord) => void) {
    this.#model = model;
    this.#onAttempt = onAttempt;
  }

  attempt(tool: string, label: AttemptLabel, attempt: number, repairs: readonly Repair[] = []): void {
    if (attempt > 0) this.#retries += 1;
    if (label !== 'ok') count(this.#errors, label);
    else if (attempt === 0) this.#firstAttempt += 1;
    else this.#afterRetry += 1;
    for (const repair of repairs) count(this.#repairs, repair);
    this.#onAttempt?.({ model: this.#model, tool, label, attempt, repairs });
  }

  gaveUp(): void {
    this.#failed += 1;
  }

  tokens(generated: number): void {
    this.#generatedTokens += generated;
  }

  summary(): ToolMetricsSummary {
    return {
      calls: this.#firstAttempt + this.#afterRetry + this.#failed,
      firstAttempt: this.#firstAttempt,
      afterRetry: this.#afterRetry,
      failed: this.#failed,
      retries: this.#retries,
      errors: Object.fromEntries(this.#errors),
      repairs: Object.fromEntries(this.#repairs),
      generatedTokens: this.#generatedTokens,
    };
  }

  /** The figures as text for people. */
  text(): string {
    const { calls, firstAttempt, afterRetry, failed, retries, errors, repairs } = this.summary();
    const share = calls > 0 ? ` (${Math.round((100 * firstAttempt) / calls)} %)` : '';
    const list = (counts: Readonly<Record<string, number>>) =>
      Object.entries(counts)
        .map(([name, times]) => `${name} ${times}`)
        .join(', ') || 'none';
    if (calls === 0) return 'Tool calls: none';
    return [
      `Tool calls: ${calls}, ${firstAttempt} right at the first attempt${share}, ${afterRetry} after a retry, ${failed} given up, ${retries} retries`,
      `Errors: ${list(errors)}; repairs: ${list(repairs)}`,
    ].join('\n');
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Appends each attempt as a line of JSON. A failure to write is reported once, then nothing more is written. */
export function metricsFile(
  path: string,
  onProblem: (message: string) => void,
): (record: AttemptRecord) => void {
  let broken = false;
  return record => {
    if (broken) return;
    try {
      makeFolder(dirname(path));
      appendText(path, `${JSON.stringify({ time: new Date().toISOString(), ...record })}\n`);
    } catch (error) {
      broken = true;
      onProblem(`Cannot write the metrics file ${path}: ${messageOf(error)}`);
    }
  };
}
