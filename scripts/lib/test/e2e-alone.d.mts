export const ALONE: readonly string[];
export const MACHINES: readonly string[];
