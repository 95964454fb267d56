/** Of the context, for the definitions of tools. */
const CONTEXT_SHARE = 0.15;

/**
 * What models of a size are taken to choose rightly from, by parameters below `under`: tokens of definitions, and tools
 * that are offered only since they fit the prompt. Measured for the first alone: with 22 tools it called the right one in 18
 * of 50 questions, with 8 in 25.
 */
const COPES_WITH: readonly { readonly under: number; readonly tokens: number; readonly tools: number }[] = [
  { under: 1e9, tokens: 1500, tools: 12 },
  { under: 5e9, tokens: 4000, tools: Number.POSITIVE_INFINITY },
  { under: 20e9, tokens: 10_000, tools: Number.POSITIVE_INFINITY },
];

interface Sized {
  readonly contextLength: number;
  /** 0 or undefined: not known. */
  readonly parameters?: number | undefined;
}

/**
 * Tokens of definitions that a model is offered at once: `configured` (0: no limit), else 15 % of the context, or what
 * models of this size cope with if that is less.
 */
export function toolBudget(configured: number | undefined, model: Sized): number {
  if (configured !== undefined) return configured === 0 ? Number.POSITIVE_INFINITY : configured;
  const share = Math.floor(model.contextLength * CONTEXT_SHARE);
  return Math.min(share, copesWith(model)?.tokens ?? share);
}

/** Tools that are offered only since they fit a prompt; a configured budget is in tokens alone. */
export function mostTools(configured: number | undefined, model: Sized): number {
  return (configured === undefined ? copesWith(model)?.tools : undefined) ?? Number.POSITIVE_INFINITY;
}

function copesWith({ parameters = 0 }: Sized): (typeof COPES_WITH)[number] | undefined {
  return parameters > 0 ? COPES_WITH.find(({ under }) => parameters < under) : undefined;
}
