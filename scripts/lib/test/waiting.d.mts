export const WAITING: readonly string[];
