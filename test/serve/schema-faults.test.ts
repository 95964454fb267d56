import { expect, it } from 'vitest';
import { chat, contentOf } from './asking.ts';
import { serveScripted } from './scripted.ts';

const messages = [{ role: 'user', content: 'hi' }];
const INT = { type: 'object', properties: { age: { type: 'int' } } };
const NOT_ONE = 'the schema is not a JSON Schema (2020-12): ';
const TYPE = '/properties/age/type must be equal to one of the allowed values';
const openai = (schema: object) => ({ type: 'json_schema', json_schema: { name: 'a', schema } });

it.each<[string, object, string]>([
  ['/v1/chat/completions', { messages, response_format: openai(INT) }, `response_format: ${NOT_ONE}${TYPE}`],
  [
    '/v1/chat/completions',
    { messages, response_format: openai({ $ref: '#/$defs/Age' }) },
    `response_format: ${NOT_ONE}can't resolve reference #/$defs/Age from id #`,
  ],
  [
    '/v1/responses',
    { input: 'hi', text: { format: { type: 'json_schema', name: 'a', schema: INT } } },
    `text.format: ${NOT_ONE}${TYPE}`,
  ],
  [
    '/v1/messages',
    { messages, max_tokens: 9, output_config: { format: { type: 'json_schema', schema: INT } } },
    `output_config.format: ${NOT_ONE}${TYPE}`,
  ],
  ['/api/chat', { model: 'scripted', messages, format: INT }, `format: ${NOT_ONE}${TYPE}`],
])('%s refuses a schema by which nothing could be checked (%#)', async (path, body, words) => {
  const { url, engine } = await serveScripted(() => '{"age":"old"}');
  const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
  const { error } = (await response.json()) as { error: string | { message: string } };
  expect(response.status).toBe(400);
  expect(typeof error === 'string' ? error : error.message).toBe(words);
  expect(engine.requests).toEqual([]);
});

it('takes what other dialects of JSON Schema have, as far as this one can read it', async () => {
  const { url } = await serveScripted(() => '{"age":7}');
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: 'https://example.org/a',
    type: 'object',
    properties: { age: { $ref: '#/definitions/Age', nullable: true } },
    definitions: { Age: { type: 'integer', format: 'int32', exclusiveMinimum: 0 } },
  };
  const response = await chat(url, { messages, response_format: openai(schema) });
  expect(await contentOf(response)).toBe('{"age":7}');
});
