export function coverageOf(output: string, files: RegExp): string;
