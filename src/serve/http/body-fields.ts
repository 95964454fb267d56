import { z } from 'zod';
import type { ToolDefinition } from '../../chat/message.ts';
import type { ResponseFormat } from '../../grammar/response-format.ts';
import { schemaFault } from '../../parse/json/schema-check.ts';
import { definitionSizeFault } from '../../text/json/definition-size.ts';
import { badRequest } from './api-error.ts';

/** A JSON Schema, unchanged: all of it reaches the model. */
export const jsonSchema = z.record(z.string(), z.unknown());

export const toolDefinition = z.looseObject({
  type: z.literal('function').optional(),
  /** It may be called, but the messages say what it is: it is not listed in the prompt. */
  defer_loading: z.boolean().nullish(),
  function: z.looseObject({
    name: z.string().regex(/^[A-Za-z0-9_.:/-]{1,128}$/, 'must be 1 to 128 letters, digits, _ . : / -'),
    description: z.string().nullish(),
    parameters: jsonSchema.nullish(),
  }),
});

/**
 * A format of this schema. Throws ApiError 400 that names the field of one that is too large for a prompt, or by which nothing
 * could be checked.
 */
export function schemaFormat(schema: Readonly<Record<string, unknown>>, param: string): ResponseFormat {
  const size = definitionSizeFault(schema);
  if (size !== undefined) throw badRequest(`${param}: the schema ${size}`, param);
  const fault = schemaFault(schema);
  if (fault !== undefined)
    throw badRequest(`${param}: the schema is not a JSON Schema (2020-12): ${fault}`, param);
  return { type: 'json_schema', schema };
}

/** In the shape that templates expect. Throws ApiError 400 that names a tool too large for a prompt. */
export function toTool({
  function: { name, description, parameters },
}: z.infer<typeof toolDefinition>): ToolDefinition {
  const fault = definitionSizeFault({ name, description, parameters });
  if (fault !== undefined) throw badRequest(`tools: the definition of '${name}' ${fault}`, 'tools');
  return {
    type: 'function',
    function: {
      name,
      ...(description != null && { description }),
      parameters: parameters ?? { type: 'object', properties: {} },
    },
  };
}
