import { type Answer, type Mode, type Pass, passOf } from './answer.ts';
import type { Journal } from './journal.ts';
import type { ToolCase } from './tool-case.ts';

export interface AskOptions {
  readonly cases: readonly ToolCase[];
  /** Each case is asked in the passes that these take. */
  readonly modes: readonly Mode[];
  readonly journal: Journal;
  /** Asks the model. Throws when the run cannot go on. */
  readonly answer: (one: ToolCase, pass: Pass) => Promise<Answer>;
  /** @param reused how many of the done ones an earlier run had answered */
  readonly onProgress: (done: number, total: number, reused: number) => void;
  readonly signal: AbortSignal;
}

/** Asks what has not been answered yet, pass by pass. An abort ends it early with what there is. */
export async function askCases(options: AskOptions): Promise<Answer[]> {
  const { journal, answer, onProgress, signal } = options;
  const answers: Answer[] = [];
  const questions = questionsOf(options);
  let reused = 0;
  for (const { one, pass } of questions) {
    const known = journal.find(one.id, pass);
    if (known) reused++;
    const found = known ?? (signal.aborted ? undefined : await answer(one, pass));
    // One that was broken off does not count.
    if (!found || (!known && signal.aborted)) continue;
    if (!known) journal.add(found);
    answers.push(found);
    onProgress(answers.length, questions.length, reused);
  }
  return answers;
}

function questionsOf({ cases, modes }: AskOptions): { readonly one: ToolCase; readonly pass: Pass }[] {
  return [...new Set(modes.map(passOf))].flatMap(pass => cases.map(one => ({ one, pass })));
}
