/** Of the context, for the definitions of tools. */
const CONTEXT_SHARE = 0.15;

/**
 * What models of a size are taken to choose rightly from, not measured but for the first: tokens of definitions, by
 * parameters below `under`.
 */
const COPES_WITH: readonly { readonly under: number; readonly tokens: number }[] = [
  { under: 1e9, tokens: 1500 },
  { under: 5e9, tokens: 4000 },
  { under: 20e9, tokens: 10_000 },
];

/**
 * Tokens of definitions that a model is offered at once: `configured` (0: no limit), else 15 % of the context, or what
 * models of this size cope with if that is less.
 * @param parameters 0 or undefined: not known
 */
export function toolBudget(
  configured: number | undefined,
  model: { readonly contextLength: number; readonly parameters?: number | undefined },
): number {
  if (configured !== undefined) return configured === 0 ? Number.POSITIVE_INFINITY : configured;
  const share = Math.floor(model.contextLength * CONTEXT_SHARE);
  const { parameters = 0 } = model;
  const copes = parameters > 0 ? COPES_WITH.find(({ under }) => parameters < under)?.tokens : undefined;
  return Math.min(share, copes ?? share);
}
