import type { Delimiters } from '../types/format.ts';

/** The marks that most families share. */
export const THINK: readonly Delimiters[] = [{ opener: '<think>', closer: '</think>' }];
