import { z } from 'zod';
import type { ToolDefinition } from '../../chat/message.ts';
import type { ResponseFormat } from '../../grammar/response-format.ts';
import { schemaFault } from '../../parse/json/schema-check.ts';
import { definitionSizeFault } from '../../text/json/definition-size.ts';
import { isNestedDeeper } from '../../text/json/nesting.ts';
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

type Ids = readonly number[];

/** A text or its tokens, alone or in a list. */
export type GivenTexts = string | Ids | readonly string[] | readonly Ids[];

/** By hand: zod takes a second for a million ids, with every stream at rest. */
export function isGivenTexts(value: unknown): value is GivenTexts {
  if (typeof value === 'string' || isIds(value)) return true;
  return Array.isArray(value) && (value.every(one => typeof one === 'string') || value.every(isIds));
}

export function textList(given: GivenTexts): readonly (string | Ids)[] {
  return typeof given === 'string' || isIds(given) ? [given] : given;
}

function isIds(value: unknown): value is Ids {
  return Array.isArray(value) && value.length > 0 && value.every(id => Number.isSafeInteger(id) && id >= 0);
}

const MAX_DEPTH = 100;

/** Checks a body against its schema. Throws ApiError 400 naming the first invalid field. */
export function readBody<T>(schema: z.ZodType<T>, body: unknown): T {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw badRequest('The body must be a JSON object');
  }
  if (isNestedDeeper(body, MAX_DEPTH))
    throw badRequest(`The body is nested more than ${MAX_DEPTH} levels deep`);
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  const param = issue?.path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : index ? `.${String(key)}` : String(key)))
    .join('');
  throw badRequest(`${param || 'The body'}: ${issue?.message ?? 'is not as documented'}`, param || undefined);
}
