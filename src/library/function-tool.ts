import { type Infer, type JsonSchema, jsonSchemaOf, type Schema } from './schema.ts';

/** A function that the model can call. Made by `tool`. */
export interface FunctionTool {
  readonly description: string;
  /** JSON Schema of the arguments, an object. */
  readonly parameters: JsonSchema;
  readonly schema: Schema;
  /** Its arguments are as the schema gives them. */
  readonly run: (args: never, context: ToolContext) => unknown;
}

export interface ToolContext {
  /** Aborts when the turn is cancelled, or the call has taken too long. */
  readonly signal: AbortSignal;
}

/**
 * A tool that is a function of this program. What `run` returns or resolves with is told to the model, as text or as JSON;
 * what it throws, too. The arguments have been checked against `parameters`, any Standard Schema (zod, valibot ...) or a
 * JSON Schema of an object.
 * @throws LlmHostError USAGE: a schema that cannot be turned into a JSON Schema
 */
export function tool<S extends Schema>(definition: {
  readonly description: string;
  readonly parameters: S;
  readonly run: (args: Infer<S>, context: ToolContext) => unknown;
}): FunctionTool {
  const { description, parameters: schema, run } = definition;
  return { description, parameters: jsonSchemaOf(schema), schema, run };
}
