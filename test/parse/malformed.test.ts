import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { resolveCall } from '../../src/parse/calls/resolve-call.ts';
import { ToolCatalog } from '../../src/parse/calls/tool-catalog.ts';
import { createToolParser } from '../../src/parse/create-tool-parser.ts';

interface Case {
  readonly kind: string;
  readonly format?: string;
  readonly finished: boolean;
  readonly text: string;
  /** The call that is meant; null: nothing may run. */
  readonly run: { readonly name: string; readonly arguments: object } | null;
}

const tool = (name: string, properties: object, required: string[]) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties, required } },
});
const text = { type: 'string' };
const TOOLS = [
  tool('add', { a: { type: 'number' }, b: { type: 'number' } }, ['a', 'b']),
  tool(
    'search_files',
    { pattern: text, limit: { type: 'integer' }, kind: { type: 'string', enum: ['file', 'dir', 'both'] } },
    ['pattern'],
  ),
  tool('write_file', { filename: text, content: text }, ['filename', 'content']),
  tool('delete_files', { filenames: { type: 'array', items: text } }, ['filenames']),
  tool('send_mail', { to: { type: 'array', items: text }, subject: text, urgent: { type: 'boolean' } }, [
    'to',
    'subject',
  ]),
];
const CATALOG = new ToolCatalog(TOOLS);

const read = (file: string): Case[] =>
  readFileSync(new URL(`../fixtures/${file}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Case);
const CASES = [...read('malformed-calls.jsonl'), ...read('malformed-by-hand.jsonl')];

/** The calls that would run. */
function runs({ text: reply, finished, format = 'hermes' }: Case): { name: string; arguments: object }[] {
  const parser = createToolParser({ format, tools: TOOLS });
  return [...parser.push(reply), ...parser.end({ finished })].flatMap(event => {
    if (event.type !== 'call') return [];
    const resolved = resolveCall(event, CATALOG);
    return resolved.ok ? [{ name: resolved.name, arguments: resolved.arguments }] : [];
  });
}

it(`there are at least 300 broken calls (${CASES.length})`, () => {
  expect(CASES.length).toBeGreaterThanOrEqual(300);
});

it('at least 90 % of those with one reading run as meant', () => {
  const readable = CASES.filter(one => one.run !== null);
  const missed = readable.filter(one => JSON.stringify(runs(one)[0]) !== JSON.stringify(one.run));
  const wrong = missed.filter(one => runs(one).length > 0).map(one => one.text);
  expect(wrong, 'ran otherwise than meant').toEqual([]);
  expect(
    missed.length / readable.length,
    missed.map(one => `${one.kind}: ${one.text}`).join('\n'),
  ).toBeLessThan(0.1);
});

it('none of the others runs anything', () => {
  const ran = CASES.filter(one => one.run === null && runs(one).length > 0);
  expect(ran.map(one => `${one.kind}: ${one.text} -> ${JSON.stringify(runs(one))}`)).toEqual([]);
});
