/** Prefix of a model that a running `llm-host serve` has; alone: whichever it has. */
export const SERVED_PREFIX = 'served:';
