import { LlmHostError, messageOf } from '../errors.ts';
import { checkSchema, isNotChecked } from '../parse/json/schema-check.ts';
import { isPlainObject } from '../text/json/plain-object.ts';

/** A JSON Schema (2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A schema of zod, valibot, arktype and others, as far as it is used here: https://standardschema.dev. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    /** The schema as a model sees it. Libraries provide it from 2026 on: zod from 4.2. */
    readonly jsonSchema?: { readonly input: (options: { target: 'draft-2020-12' }) => JsonSchema };
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export type Schema = JsonSchema | StandardSchema;

/** The type of the schema's values; a JSON Schema has none. */
export type Infer<S> = S extends StandardSchema<infer Output> ? Output : Readonly<Record<string, unknown>>;

/** @throws LlmHostError USAGE: a schema that cannot be turned into a JSON Schema */
export function jsonSchemaOf(schema: Schema): JsonSchema {
  if (!isStandard(schema)) return schema;
  const { vendor, jsonSchema } = schema['~standard'];
  if (jsonSchema === undefined) {
    throw new LlmHostError('USAGE', `This version of ${vendor} cannot write its schemas as JSON Schema`, {
      hint: 'Use a later version, or give a JSON Schema.',
    });
  }
  try {
    const { $schema: _, ...rest } = jsonSchema.input({ target: 'draft-2020-12' });
    return rest;
  } catch (cause) {
    throw new LlmHostError('USAGE', `The schema cannot be written as JSON Schema: ${messageOf(cause)}`, {
      cause,
    });
  }
}

/** The value as the schema gives it, with its defaults and transformations; or what does not fit. */
export async function readBySchema(
  schema: Schema,
  value: unknown,
): Promise<{ readonly value: unknown } | { readonly problem: string }> {
  if (isStandard(schema)) {
    const result = await schema['~standard'].validate(value);
    if (result.issues === undefined) return { value: result.value };
    const [first] = result.issues;
    return { problem: first ? `${pathOf(first)}: ${first.message}` : 'it does not fit the schema' };
  }
  const problems = checkSchema(schema, value);
  const [first] = problems;
  if (!first || isNotChecked(problems)) return { value };
  return { problem: `${first.path}: expected ${first.expected}` };
}

function isStandard(schema: Schema): schema is StandardSchema {
  return isPlainObject((schema as Partial<StandardSchema>)['~standard']);
}

function pathOf({ path = [] }: StandardIssue): string {
  const keys = path.map(part => String(typeof part === 'object' ? part.key : part));
  return ['$', ...keys].join('.');
}
