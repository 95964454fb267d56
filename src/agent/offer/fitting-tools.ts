import type { HostTool } from '../../mcp/tool-host.ts';
import { toolSignals } from './argument-signals.ts';
import { relatedTerms } from './question-terms.ts';
import type { RankedTool } from './tool-ranking.ts';
import { termsOf } from './tool-terms.ts';

/** A tool at the head fits the prompt at least so well, by the best one: others cost tokens, and a small model its way. */
const HEAD_SCORE = 0.2;
/** The least score of a tool that a later prompt adds. */
const ADDED_SCORE = 0.6;
/** Where a model copes with few tools: the same, by the best one of those that are offered anyway. */
const BESIDE_WANTED_SCORE = 1.1;
/** And of one that wants the same kind of values, so that it might be taken for one of them. */
const RIVAL_SCORE = 1.2;
/** And of one that shares a single word with the prompt: that happens. */
const ONE_WORD_SCORE = 1.6;
const ONE_WORD = 1.1;
/** Beside those that are offered anyway, however many these are. */
const MIN_OTHERS = 6;

/**
 * The tools for the head of a prompt, best first.
 * @param wanted offered anyway
 * @param most tools besides; finite where the model copes with few
 */
export function headTools(
  prompt: string,
  ranked: readonly RankedTool[],
  wanted: readonly HostTool[],
  most: number,
): readonly HostTool[] {
  const fit = fitting(ranked, HEAD_SCORE).filter(({ tool }) => !wanted.includes(tool));
  if (!Number.isFinite(most)) return fit.map(({ tool }) => tool);
  const words = new Set(termsOf(prompt));
  const isNamed = ({ server }: HostTool): boolean => termsOf(server).every(term => words.has(term));
  const others = fit.filter(({ tool }) => isNamed(tool) || !wanted.some(one => saysTheSame(tool, one)));
  const best = ranked.find(({ tool }) => wanted.includes(tool))?.score ?? 0;
  const kinds = new Set(wanted.flatMap(kindsOf));
  const isRival = (tool: HostTool): boolean => kindsOf(tool).some(kind => kinds.has(kind));
  const leastOf = ({ tool, words: shared }: RankedTool): number => {
    if (shared < ONE_WORD && !isNamed(tool)) return ONE_WORD_SCORE;
    return isRival(tool) ? RIVAL_SCORE : BESIDE_WANTED_SCORE;
  };
  return others
    .filter(one => one.score >= best * leastOf(one))
    .slice(0, Math.max(MIN_OTHERS, most - wanted.length))
    .map(({ tool }) => tool);
}

/** Whether its name has all words of the other's (`read_text_file`, `read_file`), or says them otherwise (`list_directory`, `list_files`). */
function saysTheSame({ tool }: HostTool, { tool: other }: HostTool): boolean {
  const words = termsOf(tool);
  const others = termsOf(other);
  if (others.length === 0) return false;
  if (others.every(term => words.includes(term))) return true;
  const isSaid = (term: string): boolean => [term, ...relatedTerms(term)].some(one => words.includes(one));
  // In two words much is said, in one too little to tell.
  const most = others.length > 1 ? others.length + 1 : others.length;
  return words.length <= most && others.every(isSaid);
}

/** The kinds of values that it requires. */
function kindsOf({ definition }: HostTool): string[] {
  return toolSignals(definition.function.parameters);
}

/** The tools that a later prompt brings, best first. */
export function laterTools(ranked: readonly RankedTool[]): readonly HostTool[] {
  return fitting(ranked, ADDED_SCORE).map(({ tool }) => tool);
}

function fitting(ranked: readonly RankedTool[], share: number): readonly RankedTool[] {
  const least = (ranked[0]?.score ?? 0) * share;
  return ranked.filter(({ score }) => score >= least);
}
