import type { FuzzTarget } from '../harness/target.ts';
import * as calls from './calls.ts';
import * as modelFiles from './model-files.ts';
import * as texts from './texts.ts';
import * as wire from './wire.ts';

export const TARGETS: readonly FuzzTarget[] = [calls, modelFiles, texts, wire].flatMap(file =>
  Object.values(file),
);
