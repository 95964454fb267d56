import { expect, test } from 'vitest';
import { headTools, laterTools } from '../../../src/agent/offer/fitting-tools.ts';
import type { RankedTool } from '../../../src/agent/offer/tool-ranking.ts';

/** `server/tool(argument: number)` with its score. */
function ranked(scores: Readonly<Record<string, number>>): RankedTool[] {
  return Object.entries(scores).map(([text, score]) => {
    const [, server = '', name = '', argument] = /^(\w+)\/(\w+)(?:\((\w+)\))?$/.exec(text) ?? [];
    const parameters = {
      type: 'object',
      ...(argument && { properties: { [argument]: { type: 'string' } }, required: [argument] }),
    };
    const definition = { type: 'function' as const, function: { name, parameters } };
    return { tool: { definition, server, tool: name, readOnly: true }, score, words: 2 };
  });
}

function head(
  prompt: string,
  list: readonly RankedTool[],
  wanted: readonly string[],
  most: number,
): string[] {
  const tools = list.map(({ tool }) => tool).filter(({ tool }) => wanted.includes(tool));
  return headTools(prompt, list, tools, most).map(({ server, tool }) => `${server}/${tool}`);
}

const TOOLS = ranked({ 'a/one': 10, 'a/two': 9, 'b/three': 5, 'b/four': 3, 'c/five': 2, 'c/six': 1.9 });

test('those that fit a fifth as well as the best one, and at most so many', () => {
  expect(head('x', TOOLS, [], Number.POSITIVE_INFINITY)).toEqual([
    ...['a/one', 'a/two', 'b/three', 'b/four', 'c/five'],
  ]);
  const many = ranked(Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`a/t${index}`, 20])));
  expect(head('x', many, [], 12)).toHaveLength(12);
  expect(head('x', many, [], Number.POSITIVE_INFINITY)).toHaveLength(20);
  expect(laterTools(TOOLS).map(({ tool }) => tool)).toEqual(['one', 'two']);
  expect(headTools('x', [], [], 12)).toEqual([]);
});

test('beside a tool that is offered anyway: what fits better, where the model copes with few', () => {
  expect(head('x', TOOLS, ['three'], 12)).toEqual(['a/one', 'a/two']);
  expect(head('x', TOOLS, ['three'], Number.POSITIVE_INFINITY)).toHaveLength(4);
  // One that does not fit at all holds back none.
  expect(head('x', ranked({ 'a/one': 10, 'a/two': 9, 'c/six': 0.1 }), ['six'], 12)).toHaveLength(2);
});

test('what says the same as a tool that is offered anyway is left out, unless its server is named', () => {
  const tools = ranked({
    'disk/read_text_file(path)': 90,
    'disk/list_directory(path)': 80,
    'math/sum(a)': 70,
    'vault/delete_file(id)': 60,
    'disk/move_file(path)': 50,
    'git/create_issue(title)': 40,
    'files/read_file(path)': 9,
    'files/list_files': 8,
    'calc/add(a)': 7,
    'files/delete_file(path)': 6,
  });
  const own = ['read_file', 'list_files', 'add'];
  const few = (prompt: string) =>
    headTools(
      prompt,
      tools,
      tools.flatMap(({ tool }) => (['files', 'calc'].includes(tool.server) ? [tool] : [])),
      12,
    ).map(({ tool }) => tool);
  expect(few('which').sort()).toEqual(['create_issue', 'move_file']);
  expect(few('which on the disk').sort()).toEqual([
    ...['create_issue', 'list_directory', 'move_file', 'read_text_file'],
  ]);
  expect(head('which', tools, own, Number.POSITIVE_INFINITY)).toContain('disk/read_text_file');
});

test('what wants the same kind of values has to fit clearly better', () => {
  const tools = ranked({ 'disk/move_file(path)': 11, 'shop/order(item)': 11, 'files/read_file(path)': 10 });
  expect(head('x', tools, ['read_file'], 12)).toEqual(['shop/order']);
});

test('what shares a single word with the prompt has to fit much better', () => {
  const list = ranked({ 'shop/order(item)': 15, 'files/read_file(path)': 10 });
  const one = list.map(tool => ({ ...tool, words: 1 }));
  expect(head('x', list, ['read_file'], 12)).toEqual(['shop/order']);
  expect(head('x', one, ['read_file'], 12)).toEqual([]);
  expect(head('the shop', one, ['read_file'], 12)).toEqual(['shop/order']);
  expect(head('x', one, [], 12)).toHaveLength(2);
});

test('some others are let in however many are offered anyway', () => {
  const own = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`own/t${index}x`, 1]));
  const others = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`far/f${index}y`, 9]));
  expect(
    head(
      'x',
      ranked({ ...others, ...own }),
      Object.keys(own).map(name => name.slice(4)),
      12,
    ),
  ).toHaveLength(6);
});
