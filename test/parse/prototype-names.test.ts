import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/cli/settings/config-file.ts';
import { mergeSchemas } from '../../src/grammar/schema-merge.ts';
import { promptReference } from '../../src/mcp/resources/input-references.ts';
import { exampleArguments } from '../../src/parse/calls/example-arguments.ts';
import { resolveCall } from '../../src/parse/calls/resolve-call.ts';
import { ToolCatalog } from '../../src/parse/calls/tool-catalog.ts';
import { checkSchema } from '../../src/parse/json/schema-check.ts';
import { answer, FakeHost } from '../agent/fakes.ts';
import { ask, chat, contentOf } from '../serve/asking.ts';
import { callText, serveScripted } from '../serve/scripted.ts';

/** Names that every object has, though nobody wrote them. */
const NAMES = Object.getOwnPropertyNames(Object.prototype).filter(name => name !== '__proto__');

describe.each(NAMES)('a property called %s', name => {
  const properties = { [name]: { type: 'integer' }, other: { type: 'string' } };
  const schema = { type: 'object', properties, additionalProperties: false };

  it('may be missing, is missed when required, and is checked when given', () => {
    expect(checkSchema(schema, { other: 'x' })).toEqual([]);
    expect(checkSchema({ ...schema, required: [name] }, {})).toMatchObject([
      { keyword: 'required', path: `$.${name}` },
    ]);
    expect(checkSchema(schema, { [name]: 1 })).toEqual([]);
    expect(checkSchema(schema, { [name]: 'x' })).toMatchObject([{ keyword: 'type', path: `$.${name}` }]);
    expect(checkSchema({ type: 'object', additionalProperties: false }, {})).toEqual([]);
    expect(checkSchema({ dependentRequired: { [name]: ['other'] } }, {})).toEqual([]);
  });

  it('of a nested object and of list items', () => {
    const nested = { properties: { inner: schema, list: { type: 'array', items: schema } } };
    expect(checkSchema(nested, { inner: {}, list: [{}, { [name]: 1 }] })).toEqual([]);
  });

  it('is an argument like any other', () => {
    const tools = new ToolCatalog([{ name: 'tool', parameters: { ...schema, required: ['other'] } }]);
    const call = (args: object) => resolveCall({ name: 'tool', arguments: { ...args } }, tools);
    expect(call({ other: 'x' })).toMatchObject({ ok: true, arguments: { other: 'x' }, repairs: [] });
    expect(call({ other: 'x', [name]: '7' })).toMatchObject({ ok: true, arguments: { [name]: 7 } });
    expect(exampleArguments({ ...schema, required: [name] })).toEqual({ [name]: 1 });
  });

  it('is a tool of its own only where one has that name', () => {
    expect(new ToolCatalog([{ name: 'tool' }]).match(name)).toBeUndefined();
    expect(new ToolCatalog([{ name }]).match(name)).toBe(name);
  });

  it('in schemas that are merged', () => {
    const merged = mergeSchemas({ properties: {} }, { properties: { [name]: { type: 'integer' } } });
    expect(Object.entries(merged.properties as object)).toEqual([[name, { type: 'integer' }]]);
  });
});

it('__proto__ stays a property, and changes no prototype', () => {
  const schema = (text: string) => JSON.parse(`{"properties": {"__proto__": ${text}}}`);
  const { properties } = mergeSchemas(schema('{"minimum": 1}'), schema('{"type": "integer"}'));
  expect(Object.keys(properties as object)).toEqual(['__proto__']);
  const { arguments: args } = promptReference('/docs:x __proto__=1', ['docs']) ?? {};
  expect(Object.entries(args ?? {})).toEqual([['__proto__', '1']]);
});

it('config.json may hold such names of its own', () => {
  const sampling = JSON.stringify({ SystemPrompt: '', promptStyles: { toString: { opener: '<a>' } } });
  expect(parseConfig(sampling, '/x').warnings).toEqual([]);
});

it('a call of a served tool with such arguments runs', async () => {
  const tools = new FakeHost({ constructor: answer('built') });
  const parameters = {
    type: 'object',
    properties: Object.fromEntries(NAMES.map(name => [name, { type: 'string' }])),
  };
  const theirs = { type: 'function', function: { name: 'toString', parameters } };
  const { url } = await serveScripted(
    prompt =>
      prompt.includes('built') ? callText('toString', { valueOf: 'x' }) : callText('constructor', {}),
    { turns: { tools }, toolsPolicy: 'all' },
  );
  const response = await chat(url, ask('?', { tools: [theirs] }));
  expect(response.status).toBe(200);
  const body = (await response.json()) as { choices: [{ message: { tool_calls?: object[] } }] };
  expect(tools.calls).toEqual([{ name: 'constructor', args: {} }]);
  expect(body.choices[0].message.tool_calls).toMatchObject([
    { function: { name: 'toString', arguments: '{"valueOf":"x"}' } },
  ]);
});

it('an answer that has to fit such a schema', async () => {
  const { url } = await serveScripted(() => '{"other": "x"}');
  const schema = {
    type: 'object',
    properties: { constructor: { type: 'string' }, other: { type: 'string' } },
  };
  const format = { type: 'json_schema', json_schema: { name: 'a', schema } };
  const response = await chat(url, ask('?', { response_format: format }));
  expect(await contentOf(response)).toBe('{"other": "x"}');
});
