import { LlmHostError, messageOf } from '../errors.ts';
import { checkSchema, isUsableSchema, type SchemaProblem } from '../parse/json/schema-check.ts';
import { definitionSizeFault } from '../text/json/definition-size.ts';
import { isPlainObject } from '../text/json/plain-object.ts';
import { Grammar, SPACE } from './ebnf.ts';
import { JsonGrammar, LEADING_SPACE } from './json-grammar.ts';

/** The required form of a whole reply: any JSON object, or JSON that fits a schema (2020-12). */
export type ResponseFormat =
  | { readonly type: 'json_object' }
  | { readonly type: 'json_schema'; readonly schema: Readonly<Record<string, unknown>> };

/**
 * The grammar of a reply in this format, with whitespace around it. @throws LlmHostError USAGE for a schema that is
 * invalid, unsatisfiable, or too large for a grammar.
 */
export function responseGrammar(format: ResponseFormat): string {
  const grammar = new Grammar();
  try {
    return grammar.text(`${LEADING_SPACE} ${responseRule(format, grammar)} ${SPACE}`);
  } catch (error) {
    if (error instanceof RangeError) {
      throw new LlmHostError('USAGE', `The schema cannot be followed: ${error.message}`, {
        hint: 'Simplify it, or remove rules that no value can satisfy.',
      });
    }
    throw error;
  }
}

/** Throws what `responseGrammar` would, before any work starts. @throws LlmHostError USAGE */
export function checkResponseFormat(format: ResponseFormat): void {
  responseGrammar(format);
}

/** Whether `responseGrammar` succeeds. */
export function canFollow(format: ResponseFormat): boolean {
  try {
    responseGrammar(format);
    return true;
  } catch (error) {
    if (error instanceof LlmHostError) return false;
    throw error;
  }
}

function responseRule(format: ResponseFormat, grammar: Grammar): string {
  if (format.type === 'json_object') return new JsonGrammar(grammar, {}).anyObject();
  const { schema } = format;
  const fault = definitionSizeFault(schema);
  if (fault !== undefined) throw new LlmHostError('USAGE', `The schema ${fault}`);
  if (!isPlainObject(schema) || !isUsableSchema(schema)) {
    throw new LlmHostError('USAGE', 'The schema is not a JSON Schema (2020-12)', {
      hint: 'Give an object such as {"type":"object","properties":{"answer":{"type":"string"}}}.',
    });
  }
  return new JsonGrammar(grammar, schema).root();
}

/**
 * Problems of a reply in this format: all of it if it was cut off, or a rule that no grammar can express, such as
 * `pattern` or `maxLength`. Empty: it fits.
 */
export function responseProblems(format: ResponseFormat, text: string): SchemaProblem[] {
  const schema = format.type === 'json_schema' ? format.schema : { type: 'object' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return [{ path: '$', keyword: 'type', expected: `JSON (${messageOf(error)})`, got: undefined }];
  }
  return checkSchema(schema, value);
}
