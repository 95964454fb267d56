import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { meantTools, similarTools } from '../../../src/parse/calls/meant-tools.ts';
import { resolveCall } from '../../../src/parse/calls/resolve-call.ts';
import { ToolCatalog } from '../../../src/parse/calls/tool-catalog.ts';

const FILES = { name: 'list_files', server: 'files' };
const ISSUE = { name: 'create_issue', server: 'github' };

describe('the tools that a name may mean', () => {
  it.each([
    ['add', ['calculator__add', 'cart__add'], ['calculator__add', 'cart__add']],
    ['ADD', ['calculator__add', 'cart__remove'], ['calculator__add']],
    ['cart.add', ['calculator__add', 'cart__add'], ['cart__add']],
    ['cart/add', ['calculator__add', 'cart__add'], ['cart__add']],
    ['shop__add', ['calculator__add', 'cart__add'], []],
    ['list_file', [FILES], ['list_files']],
    ['filesList', [FILES], ['list_files']],
    ['files__list_files', [FILES], ['list_files']],
    ['files.list_file', [FILES], ['list_files']],
    // Another server's tool is not meant, however well its name fits.
    ['gitlab__create_issue', [ISSUE], []],
    ['get_city', ['get_cities'], ['get_cities']],
    // Letters alone mean nothing.
    ['lock_door', ['unlock_door'], []],
    ['addd', ['add'], []],
    ['get_user', ['set_user'], []],
    ['', ['add'], []],
    ['__', ['add'], []],
  ])('%j of %j: %j', (name, tools, meant) => {
    const named = tools.map(tool => (typeof tool === 'string' ? { name: tool } : tool));
    expect(meantTools(name, named)).toEqual(meant);
  });

  it('are tools that are there, whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), fc.array(fc.string()), (name, names) => {
        const tools = names.map(one => ({ name: one }));
        expect(names).toEqual(expect.arrayContaining(meantTools(name, tools)));
      }),
    );
  });

  it('are found at once in a name of a megabyte', () => {
    expect(meantTools('a__/'.repeat(250_000), [FILES])).toEqual([]);
  });
});

test.each([
  ['addd', ['cart__add', 'calculator__add', 'list_files'], ['cart__add', 'calculator__add']],
  ['add_numbers', ['cart__add', 'calculator__add', 'multiply'], ['cart__add', 'calculator__add']],
  ['calc__add', ['cart__add', 'calculator__add'], ['cart__add', 'calculator__add']],
  ['issue', ['create_issue', 'close_issue', 'list_pulls'], ['close_issue', 'create_issue']],
  ['lock_door', ['unlock_door', 'paint'], ['unlock_door']],
  ['weather', ['add', 'multiply'], []],
  ['', ['add', 'cart__add'], []],
  ['x'.repeat(1000), ['x'], []],
])('the tools to ask about for %j of %j: %j', (name, tools, similar) => {
  expect(
    similarTools(
      name,
      tools.map(one => ({ name: one })),
    ),
  ).toEqual(similar);
});

const add = (server: string, keys: readonly string[], summary: string) => ({
  name: `${server}__add`,
  description: `${summary}\nMore of it.`,
  parameters: {
    type: 'object',
    properties: Object.fromEntries(keys.map(key => [key, { type: 'number' }])),
    required: keys,
  },
});

describe('five servers with a tool of one name', () => {
  const catalog = new ToolCatalog([
    add('calculator', ['a', 'b'], 'Adds two numbers.'),
    add('cart', ['product', 'count'], 'Puts a product into the cart.'),
    add('calendar', ['day'], 'Adds a day.'),
    add('notes', ['x', 'y'], 'Adds a note.'),
    add('marks', ['x', 'y'], 'Adds a mark.'),
  ]);
  const resolve = (args: Record<string, unknown>, called: string[] = [], name = 'add') =>
    resolveCall({ name, arguments: args }, catalog, called);

  test.each([
    [{ a: 1, b: 2 }, 'calculator__add'],
    [{ a: '1', b: '2' }, 'calculator__add'],
    [{ product: 7, count: 1 }, 'cart__add'],
    [{ day: 3 }, 'calendar__add'],
  ])('%j goes to the only one it fits', (args, name) => {
    expect(resolve(args)).toMatchObject({ ok: true, name, repairs: expect.arrayContaining(['name']) });
    // However often another one was called before.
    expect(resolve(args, ['marks__add'])).toMatchObject({ ok: true, name });
  });

  test('arguments that fit two go to the one called last', () => {
    const called = ['calculator__add', 'marks__add', 'notes__add'];
    expect(resolve({ x: 1, y: 2 }, called)).toMatchObject({ ok: true, name: 'marks__add' });
  });

  test('if neither was called the model is asked with full names and what they do', () => {
    expect(resolve({ x: 1, y: 2 }, ['calculator__add'])).toEqual({
      ok: false,
      label: 'wrong_tool',
      tool: undefined,
      message:
        "'add' may be several tools. Call the one you mean by its full name:\n" +
        '- notes__add: Adds a note.\n- marks__add: Adds a mark.',
    });
  });

  test('arguments that fit none: all are named, and nothing runs', () => {
    const resolved = resolve({ a: 1, b: 2, extra: true });
    expect(resolved).toMatchObject({ ok: false, label: 'wrong_tool' });
    for (const name of catalog.names)
      expect(resolved).toHaveProperty('message', expect.stringContaining(name));
  });

  test.each(['addd', 'add_numbers', 'calc__add'])('%j: none runs, the model is asked', name => {
    expect(resolve({ a: 1, b: 2 }, [], name)).toEqual({
      ok: false,
      label: 'wrong_tool',
      tool: undefined,
      message: expect.stringMatching(
        /^There is no tool '\w+'\. Call the one you mean by its full name:\n(?:- .*\n)*- calculator__add: Adds two numbers\.(?:\n- .*){4}$/,
      ),
    });
  });

  test('a long list is cut', () => {
    const many = new ToolCatalog(
      Array.from({ length: 50 }, (_, at) => add(`s${at}`, ['x'], 'y'.repeat(500))),
    );
    const asked = resolveCall({ name: 'add', arguments: { x: 1 } }, many);
    expect(asked).toHaveProperty(
      'message',
      expect.stringMatching(/^.{60,80}\n(?:- s\d+__add: y{160}\n?){12}$/),
    );
  });

  test('a single tool that may be meant is told what does not fit', () => {
    expect(resolve({ a: 1 }, [], 'calculator.add')).toMatchObject({
      ok: false,
      label: 'missing_required',
      tool: 'calculator__add',
    });
  });
});
