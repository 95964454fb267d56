import { z } from 'zod';
import type { ToolDefinition } from '../../chat/message.ts';

/** A JSON Schema, unchanged: all of it reaches the model. */
export const jsonSchema = z.record(z.string(), z.unknown());

export const toolDefinition = z.looseObject({
  type: z.literal('function').optional(),
  function: z.looseObject({
    name: z.string().regex(/^[A-Za-z0-9_.:/-]{1,128}$/, 'must be 1 to 128 letters, digits, _ . : / -'),
    description: z.string().nullish(),
    parameters: jsonSchema.nullish(),
  }),
});

/** In the shape that templates expect. */
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
