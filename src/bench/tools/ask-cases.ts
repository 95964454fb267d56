import { dirname } from 'node:path';
import { messageOf } from '../../errors.ts';
import { makeFolder } from '../../text/files/make-folder.ts';
import { appendText, writeText } from '../../text/files/open-for-writing.ts';
import { readTextFile } from '../../text/files/read-text-file.ts';
import { type Answer, type Mode, type Pass, passOf, type ToolCase } from './tool-case.ts';

const MAX_BYTES = 256 * 1024 * 1024;

/** Answers on disk, a line of JSON each: what a run that was broken off had is there for the next. */
export class Journal {
  readonly #path: string;
  readonly #onProblem: (message: string) => void;
  readonly #answers = new Map<string, Answer>();
  #broken = false;

  /** @param again forget what is there */
  constructor(path: string, again: boolean, onProblem: (message: string) => void) {
    this.#path = path;
    this.#onProblem = onProblem;
    this.#try(() => {
      makeFolder(dirname(path));
      const text = again ? '' : readJournal(path);
      for (const answer of answersOf(text)) this.#answers.set(keyOf(answer), answer);
      // A line that was cut off would spoil the next one.
      if (text === '' || !text.endsWith('\n'))
        writeText(path, [...this.#answers.values()].map(lineOf).join(''));
    });
  }

  find(id: string, pass: Pass): Answer | undefined {
    return this.#answers.get(keyOf({ id, pass }));
  }

  /** A journal that cannot be written is reported once, and the run continues. */
  add(answer: Answer): void {
    this.#answers.set(keyOf(answer), answer);
    this.#try(() => appendText(this.#path, lineOf(answer)));
  }

  #try(work: () => void): void {
    if (this.#broken) return;
    try {
      work();
    } catch (error) {
      this.#broken = true;
      this.#onProblem(
        `Answers are not kept for another run, since ${this.#path} cannot be written: ${messageOf(error)}`,
      );
    }
  }
}

const keyOf = ({ id, pass }: Pick<Answer, 'id' | 'pass'>) => `${pass} ${id}`;

const lineOf = (answer: Answer) => `${JSON.stringify(answer)}\n`;

function readJournal(path: string): string {
  try {
    return readTextFile(path, MAX_BYTES);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** Lines that are no answers, such as one that was cut off, count as not there. */
function answersOf(text: string): Answer[] {
  return text.split('\n').flatMap(line => {
    try {
      const answer = JSON.parse(line) as Answer;
      return typeof answer.id === 'string' && Array.isArray(answer.calls) ? [answer] : [];
    } catch {
      return [];
    }
  });
}

interface AskOptions {
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
