import type { Architecture } from './architecture.ts';
import { DELTA } from './delta.ts';
import { DENSE } from './dense.ts';
import { EXPERTS } from './experts.ts';
import { GEMMAS } from './gemma.ts';
import { HYBRIDS } from './hybrids.ts';
import { LATENTS } from './latent.ts';
import { STATES } from './states.ts';

/** The supported ones. */
export const ARCHITECTURES: ReadonlyMap<string, Architecture> = new Map([
  ...DENSE,
  ...GEMMAS,
  ...EXPERTS,
  ...LATENTS,
  ...STATES,
  ...DELTA,
  ...HYBRIDS,
]);
