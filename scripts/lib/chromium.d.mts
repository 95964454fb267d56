import type { Browser } from 'playwright-core';

export function findChromium(): string | undefined;
export function launchChromium(executablePath: string): Promise<Browser>;
