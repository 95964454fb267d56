import type { Architecture } from './architecture.ts';
import { DENSE } from './dense.ts';

/** The supported ones. */
export const ARCHITECTURES: ReadonlyMap<string, Architecture> = new Map(DENSE);
