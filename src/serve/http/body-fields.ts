import { z } from 'zod';
import type { ToolDefinition } from '../../chat/message.ts';
import type { Sampling } from '../../text/sampling/fields.ts';

/** Fields that both APIs have in common. */
const SEED_RANGE = 2 ** 32;

/** A JSON Schema, kept whole: whatever is in it reaches the model. */
export const jsonSchema = z.record(z.string(), z.unknown());

export const toolDefinition = z.looseObject({
  type: z.literal('function').optional(),
  function: z.looseObject({
    name: z.string().regex(/^[A-Za-z0-9_.:/-]{1,128}$/, 'must be 1 to 128 letters, digits, _ . : / -'),
    description: z.string().nullish(),
    parameters: jsonSchema.nullish(),
  }),
});

/** As templates want it. */
export function toTool({
  function: { name, description, parameters },
}: z.infer<typeof toolDefinition>): ToolDefinition {
  return {
    type: 'function',
    function: {
      name,
      ...(description != null && { description }),
      parameters: parameters ?? { type: 'object', properties: {} },
    },
  };
}

/** Any whole number, folded into the seeds that there are. */
export function toSeed(seed: number): number {
  return ((seed % SEED_RANGE) + SEED_RANGE) % SEED_RANGE;
}

/** Only what was given. */
export function given(
  fields: { readonly [Key in keyof Sampling]: Sampling[Key] | null | undefined },
): Sampling {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}
