/** `1.3s` */
export const secondsSince = (start: number, now: number): string => `${((now - start) / 1000).toFixed(1)}s`;
