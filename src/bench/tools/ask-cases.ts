import type { Answer, Pass } from './answer.ts';
import type { ToolCase } from './cases/tool-case.ts';
import type { Journal } from './journal.ts';

export interface AskOptions {
  readonly cases: readonly ToolCase[];
  readonly passes: readonly Pass[];
  readonly journal: Journal;
  /** Asks the model. Throws when the run cannot go on. */
  readonly answer: (one: ToolCase, pass: Pass) => Promise<Answer>;
  /** @param reused how many of the done ones an earlier run had answered */
  readonly onProgress: (done: number, total: number, reused: number) => void;
  readonly signal: AbortSignal;
}

/** Asks what has not been answered yet, pass by pass. An abort ends it early with what there is. */
export async function askCases(options: AskOptions): Promise<Answer[]> {
  const { cases, passes, journal, answer, onProgress, signal } = options;
  const answers: Answer[] = [];
  const total = cases.length * passes.length;
  let reused = 0;
  for (const pass of passes) {
    for (const one of cases) {
      const known = journal.find(one.id, pass);
      if (known) reused++;
      const found = known ?? (signal.aborted ? undefined : await answer(one, pass));
      // One that was broken off does not count.
      if (!found || (!known && signal.aborted)) continue;
      if (!known) journal.add(found);
      answers.push(found);
      onProgress(answers.length, total, reused);
    }
  }
  return answers;
}
