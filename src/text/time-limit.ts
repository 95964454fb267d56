import vm from 'node:vm';
import { threadCpuMs } from './thread-cpu.ts';

/** Work was stopped because it took too long. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
  readonly limitMs: number;

  constructor(limitMs: number) {
    super(`it took longer than ${limitMs / 1000} s`);
    this.limitMs = limitMs;
  }
}

const context = vm.createContext({ run: undefined as (() => void) | undefined });
const script = new vm.Script('run()');
let nested = false;

/**
 * Runs synchronous work on untrusted input, such as a stranger's regular expression, and stops it after `limitMs`,
 * wherever it is: a backtracking match, a loop, a recursion. Stopped work runs no `finally`, so it must not touch
 * state that outlives it. Inside limited work the outer limit holds. Costs about 0.1 ms.
 * @throws TimeLimitError, or what `work` throws
 */
export function withinTime<T>(limitMs: number, work: () => T): T {
  if (nested) return work();
  let result: T | undefined;
  nested = true;
  context.run = () => {
    result = work();
  };
  try {
    script.runInContext(context, { timeout: limitMs });
    return result as T;
  } catch (error) {
    throw isTimeout(error) ? new TimeLimitError(limitMs) : error;
  } finally {
    context.run = undefined;
    nested = false;
  }
}

/** Longest wait for work whose thread hardly runs, in limits. */
const MOST_LIMITS = 3;
/** Less of its limit than this means that other threads had the processor. */
const OWN_SHARE = 0.9;

/**
 * As `withinTime`, but `limitMs` counts the CPU time of this thread where the system tells it, so that a busy machine
 * does not fail good work. `work` must be repeatable: stopped without having had its time, it starts over with more,
 * for three times the limit in all.
 */
export function withinWork<T>(limitMs: number, work: () => T): T {
  const begun = performance.now();
  for (let wallMs = limitMs; ; ) {
    const before = threadCpuMs();
    try {
      return withinTime(wallMs, work);
    } catch (error) {
      if (!(error instanceof TimeLimitError)) throw error;
      const used = (threadCpuMs() ?? Number.POSITIVE_INFINITY) - (before ?? 0);
      const restMs = MOST_LIMITS * limitMs - (performance.now() - begun);
      if (used >= OWN_SHARE * limitMs || restMs < 1) throw new TimeLimitError(limitMs);
      wallMs = Math.ceil(Math.min(restMs, (1.5 * wallMs * limitMs) / Math.max(1, used)));
    }
  }
}

/** The error comes from the other context, so it is not an instance of this one's Error. */
function isTimeout(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
