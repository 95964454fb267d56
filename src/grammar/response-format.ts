import { LlmHostError, messageOf } from '../errors.ts';
import { checkSchema, isUsableSchema, type SchemaProblem } from '../parse/json/schema-check.ts';
import { isPlainObject } from '../text/plain-object.ts';
import { Grammar, SPACE } from './ebnf.ts';
import { JsonGrammar, LEADING_SPACE } from './json-grammar.ts';

/** What a whole reply is held to: any JSON object, or what fits a JSON Schema (2020-12). */
export type ResponseFormat =
  | { readonly type: 'json_object' }
  | { readonly type: 'json_schema'; readonly schema: Readonly<Record<string, unknown>> };

/**
 * The grammar of a reply in this format, with whitespace around it.
 * @throws LlmHostError USAGE for a schema that is none, that nothing fits, or that is too large for a grammar.
 */
export function responseGrammar(format: ResponseFormat): string {
  const grammar = new Grammar();
  try {
    return grammar.text(`${LEADING_SPACE} ${responseRule(format, grammar)} ${SPACE}`);
  } catch (error) {
    if (error instanceof RangeError) {
      throw new LlmHostError('USAGE', `The schema cannot be followed: ${error.message}`, {
        hint: 'Make it smaller, or leave out what no value can fit.',
      });
    }
    throw error;
  }
}

/** Refuses before any work what `responseGrammar` refuses. @throws LlmHostError USAGE */
export function checkResponseFormat(format: ResponseFormat): void {
  responseGrammar(format);
}

/** Whether `responseGrammar` can be made. */
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
  if (!isPlainObject(schema) || !isUsableSchema(schema)) {
    throw new LlmHostError('USAGE', 'The schema is no JSON Schema (2020-12)', {
      hint: 'Give an object such as {"type":"object","properties":{"answer":{"type":"string"}}}.',
    });
  }
  return new JsonGrammar(grammar, schema).root();
}

/**
 * What does not fit in a reply: all of it where it was cut off, else what no grammar can see to, such as `pattern` or
 * `maxLength`. Empty: it fits.
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
