export function oddWords(top?: string): string[];
