export const ALONE: readonly string[];
export const WAITING: readonly string[];
