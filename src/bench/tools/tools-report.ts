import type { Machine } from '../report.ts';
import { type AnswerFault, answerFault } from './score.ts';
import { type Answer, answerIn, type MadeCall, type Mode, passOf, type ToolCase } from './tool-case.ts';

const Z = 1.959964;

/** A share with its 95 % confidence interval, each from 0 to 1. */
export interface Share {
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

/** Wilson's interval, which holds for few cases and for shares near 0 and 1 too. Without cases it is 0 to 1. */
export function shareOf(right: number, of: number): Share {
  if (of === 0) return { share: 0, low: 0, high: 1 };
  const share = right / of;
  const middle = share + Z ** 2 / (2 * of);
  const spread = Z * Math.sqrt((share * (1 - share)) / of + Z ** 2 / (4 * of ** 2));
  const scale = 1 + Z ** 2 / of;
  // Rounding may leave them a hair outside.
  return { share, low: Math.max(0, (middle - spread) / scale), high: Math.min(1, (middle + spread) / scale) };
}

/** How one mode did in one category. */
export interface ModeFigures extends Share {
  readonly right: number;
  readonly asked: number;
  /** Right with the first reply, which took no repair. */
  readonly firstAttempt: number;
  /** Wrong answers by what was wrong. */
  readonly faults: Readonly<Partial<Record<AnswerFault, number>>>;
  /** A case, on average. */
  readonly promptTokens: number;
  readonly generatedTokens: number;
  readonly seconds: number;
}

export interface CategoryFigures {
  readonly category: string;
  /** Cases that there are. */
  readonly cases: number;
  readonly modes: Readonly<Partial<Record<Mode, ModeFigures>>>;
}

/** One case in one mode. */
export interface CaseResult {
  readonly id: string;
  readonly mode: Mode;
  readonly right: boolean;
  readonly fault?: AnswerFault | undefined;
  readonly calls: readonly MadeCall[];
  readonly error?: string | undefined;
}

export interface ToolsReport {
  readonly version: 1;
  readonly date: string;
  readonly machine: Machine;
  readonly versions: { readonly llmHost: string; readonly mlx: string; readonly node: string };
  readonly model: { readonly name: string; readonly family: string; readonly parameters: number };
  /** The folder of the questions. */
  readonly benchmark: string;
  readonly settings: {
    readonly modes: readonly Mode[];
    /** Cases of each category; undefined: all. */
    readonly perCategory: number | undefined;
    readonly half: 'a' | 'b' | undefined;
    readonly maxTokens: number;
    readonly environment: Readonly<Record<string, string>>;
  };
  readonly categories: readonly CategoryFigures[];
  /** All categories together. */
  readonly total: CategoryFigures;
  readonly results: readonly CaseResult[];
}

export interface Asked {
  /** All there are. */
  readonly cases: readonly ToolCase[];
  readonly answers: readonly Answer[];
  readonly modes: readonly Mode[];
}

/** The figures of what has been answered. */
export function scored({
  cases,
  answers,
  modes,
}: Asked): Pick<ToolsReport, 'categories' | 'total' | 'results'> {
  const byId = new Map(cases.map(one => [one.id, one]));
  const judged = modes.flatMap(mode =>
    answers.filter(({ pass }) => pass === passOf(mode)).map(answer => judge(mode, answer, byId)),
  );
  const figures = (category: string, own: readonly Judged[]): CategoryFigures => {
    const all = cases.filter(one => category === TOTAL || one.category === category);
    const of = (mode: Mode) => figuresOf(own.filter(one => one.result.mode === mode));
    return { category, cases: all.length, modes: Object.fromEntries(modes.map(mode => [mode, of(mode)])) };
  };
  const names = [...new Set(cases.map(one => one.category))];
  const categories = names
    .map(name => [name, judged.filter(one => one.category === name)] as const)
    .filter(([, own]) => own.length > 0);
  return {
    categories: categories.map(([name, own]) => figures(name, own)),
    total: figures(TOTAL, judged),
    results: judged.map(({ result }) => result),
  };
}

const TOTAL = 'all';

interface Judged {
  readonly category: string;
  readonly answer: Answer;
  readonly result: CaseResult;
}

function judge(mode: Mode, given: Answer, cases: ReadonlyMap<string, ToolCase>): Judged {
  const { id, category, expected } = cases.get(given.id) as ToolCase;
  const answer = answerIn(mode, given);
  const { calls, error } = answer;
  const fault = answerFault(calls, expected);
  return {
    category,
    answer,
    result: {
      id,
      mode,
      right: fault === undefined && error === undefined,
      calls,
      fault,
      error,
    },
  };
}

function figuresOf(judged: readonly Judged[]): ModeFigures {
  const right = judged.filter(({ result }) => result.right);
  const faults: Partial<Record<AnswerFault, number>> = {};
  for (const { fault } of judged.map(({ result }) => result))
    if (fault) faults[fault] = (faults[fault] ?? 0) + 1;
  const average = (of: (answer: Answer) => number) =>
    judged.reduce((sum, { answer }) => sum + of(answer), 0) / Math.max(1, judged.length);
  return {
    right: right.length,
    asked: judged.length,
    ...shareOf(right.length, judged.length),
    firstAttempt: right.filter(({ answer }) => answer.replies <= 1).length,
    faults,
    promptTokens: average(answer => answer.promptTokens),
    generatedTokens: average(answer => answer.generatedTokens),
    seconds: average(answer => answer.seconds),
  };
}
