import type { Delimiters } from './format.ts';

/** The marks of most families. */
export const THINK: readonly Delimiters[] = [{ opener: '<think>', closer: '</think>' }];
