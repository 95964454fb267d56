import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { table, wilson } from '../demo/score-table.mjs';

const read = (name: string) =>
  readFileSync(new URL(`../../models/demo/heldout/${name}`, import.meta.url), 'utf8');
const rows = (name: string) =>
  read(`${name}.jsonl`)
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
const servers: Record<string, { name: string; parameters: object }[]> = JSON.parse(read('servers.json'));
const ajv = new Ajv();

/** What is wrong with a call of one of the servers' tools. */
function problems(list: string, name: string, args: object): string[] {
  const tool = list
    .split('+')
    .flatMap(server => servers[server] ?? [])
    .find(one => one.name === name);
  if (tool === undefined) return [`${list} has no ${name}`];
  return ajv.validate({ ...tool.parameters, additionalProperties: false }, args)
    ? []
    : [`${name}: ${ajv.errorsText()}`];
}

it.each([
  ['denial', 300],
  ['plain', 300],
  ['dialogues', 150],
])('%s has %d different cases with ids of their own', (name, count) => {
  const found = rows(name);
  expect(found).toHaveLength(count);
  expect(new Set(found.map(({ id }) => id)).size).toBe(count);
  expect(new Set(found.map(({ id: _, kind: __, list: ___, ...rest }) => JSON.stringify(rest))).size).toBe(
    count,
  );
});

it('the calls of all cases fit a tool that is listed', () => {
  const denials = rows('denial').flatMap(({ list, tool, arguments: all }) =>
    (all ?? []).flatMap((args: object) => problems(list, tool, args)),
  );
  const dialogues = rows('dialogues').flatMap(({ list, given, judged }) =>
    [...given, ...judged].flatMap(({ call, or = [] }) =>
      (call ? [call, ...or] : []).flatMap(([name, args]: [string, object]) => problems(list, name, args)),
    ),
  );
  expect([...denials, ...dialogues]).toEqual([]);
});

it('dialogues have two to four turns, and end in a judged reply', () => {
  for (const { id, given, judged } of rows('dialogues')) {
    const turns = [...given, ...judged].filter(({ user }) => user !== undefined).length;
    expect.soft([2, 3, 4], id).toContain(turns);
    expect.soft(judged[0].user, id).toBeTypeOf('string');
    expect.soft(judged.at(-1).user, id).toBeUndefined();
  }
});

it('the script that is scored is the one that the demo runs, and its calls fit', () => {
  const [{ list, judged }] = rows('../scripted');
  const asked = judged.flatMap(({ user }: { user?: string }) => user ?? []);
  expect(asked).toEqual(read('../conversation.txt').trim().split('\n'));
  const calls = judged.flatMap(({ call, or = [] }: { call?: object; or?: object[] }) =>
    call ? [call, ...or] : [],
  );
  expect(calls.flatMap(([name, args]: [string, object]) => problems(list, name, args))).toEqual([]);
});

it("gives Wilson's intervals", () => {
  // Published examples: 0 of 10, 5 of 10, 81 of 263.
  expect(wilson(0, 10).map(share => share.toFixed(4))).toEqual(['0.0000', '0.2775']);
  expect(wilson(5, 10).map(share => share.toFixed(4))).toEqual(['0.2366', '0.7634']);
  expect(wilson(81, 263).map(share => share.toFixed(4))).toEqual(['0.2553', '0.3662']);
  expect(wilson(0, 0)).toEqual([0, 1]);
});

it('prints a table of kinds and what is counted', () => {
  const results = ['right', 'right', 'denied', 'tool'].map((verdict, at) => ({
    set: 'denial',
    kind: at < 2 ? 'files' : 'git',
    verdict,
  }));
  expect(table(results, { denial: { bad: 'denied', says: 'denied a listed tool' } })).toBe(
    [
      '| denial | Right | 95 % interval | Otherwise |',
      '| --- | --- | --- | --- |',
      '| files | 2 of 2 | 100.0 % (34.2 to 100.0) |  |',
      '| git | 0 of 2 | 0.0 % (0.0 to 65.8) | denied 1, tool 1 |',
      '| all | 2 of 4 | 50.0 % (15.0 to 85.0) | denied 1, tool 1 |',
      '',
      'denied a listed tool: 1 of 4, 25.0 % (4.6 to 69.9)',
    ].join('\n'),
  );
});
