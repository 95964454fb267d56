import { CALL_TARGETS } from './calls.ts';
import { MODEL_FILE_TARGETS } from './model-files.ts';
import { TEXT_TARGETS } from './texts.ts';
import { WIRE_TARGETS } from './wire.ts';

export const TARGETS = [...CALL_TARGETS, ...MODEL_FILE_TARGETS, ...TEXT_TARGETS, ...WIRE_TARGETS];
