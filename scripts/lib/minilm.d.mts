export function fetchMinilm(): Promise<string>;
