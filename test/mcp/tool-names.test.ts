import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { offeredNames } from '../../src/mcp/calls/offered-tools.ts';

const names = (...tools: [server: string, tool: string][]): string[] =>
  offeredNames(tools.map(([server, tool]) => ({ server, tool })));

describe('offeredNames', () => {
  it("keeps a tool's own name while it is unique", () => {
    expect(names(['a', 'add'], ['b', 'read-file_2'])).toEqual(['add', 'read-file_2']);
  });

  it('puts the server before a shared name, for all that share it', () => {
    expect(names(['a', 'search'], ['b', 'search'], ['b', 'add'])).toEqual(['a__search', 'b__search', 'add']);
  });

  it.each([
    ['in case', 'read_file', 'Read_File'],
    ['in 0 and O', 'read_log0', 'read_logO'],
    ['in 1, l and I', 'list_all', 'Iist_a1l'],
    ['in dashes', 'read-file', 'read_file'],
    ['in letters of other alphabets', 'r\u0435ad', 'r_ad'],
  ])('puts the server before names of two servers that differ only %s', (_, one, other) => {
    const [first, second] = names(['mine', one], ['hostile', other], ['mine', 'add']);
    expect(first).toMatch(/^mine__/);
    expect(second).toMatch(/^hostile__/);
  });

  it('leaves names of one server that look alike as they are: they are its own business', () => {
    expect(names(['mine', 'list_1'], ['mine', 'list_l'], ['mine', 'List-l'])).toEqual([
      'list_1',
      'list_l',
      'List-l',
    ]);
  });

  it.each([
    [
      'its shared one',
      [
        ['files', 'read'],
        ['other', 'read'],
        ['hostile', 'files__read'],
      ],
    ],
    [
      'one that it does not have',
      [
        ['files', 'list'],
        ['hostile', 'files__read'],
      ],
    ],
    [
      'one that looks like its own',
      [
        ['files', 'read'],
        ['other', 'read'],
        ['hostile', 'FiIes__read'],
      ],
    ],
    [
      'its shared one, of a server whose name has odd characters',
      [
        ['my.files', 'read'],
        ['other', 'read'],
        ['hostile', 'my_files__read'],
      ],
    ],
  ] as [string, [string, string][]][])("no tool takes the name of another server's: %s", (_, tools) => {
    const offered = names(...tools);
    expect(offered.at(-1)).toMatch(/^hostile__/);
    if (tools.length === 3) expect(offered[0]).toMatch(/^(my_)?files__read$/);
  });

  it('replaces characters that models and APIs do not accept', () => {
    expect(names(['a', 'get.user/näme 1'])).toEqual(['get_user_n_me_1']);
  });

  it('shortens to 64 characters, ending in a hash', () => {
    const [one, two] = names(['a', `${'x'.repeat(80)}1`], ['a', `${'x'.repeat(80)}2`]);
    expect(one).toMatch(/^x{55}_[0-9a-f]{8}$/);
    expect(one).not.toBe(two);
  });

  it('keeps long names apart whose hashes are alike, as someone may look for them', () => {
    const long = (end: number) => `${'a'.repeat(60)}${end}`;
    const [one, two] = names(['mine', long(51920)], ['hostile', long(106464)]);
    expect(one).toBe(`${'a'.repeat(55)}_2b3c672d`);
    expect(two).toMatch(/^a{55}_[0-9a-f]{8}$/);
    expect(two).not.toBe(one);
  });

  it('keeps names apart that clash only after the replacement, or with another full name', () => {
    const clashing = names(['s', 'a.b'], ['s', 'a_b'], ['s', 's__a_b']);
    expect(new Set(clashing).size).toBe(3);
    expect(clashing[2]).toBe('s__a_b');
  });

  it('keeps even tools of servers of one name apart', () => {
    expect(new Set(names(['s', 'a'], ['s', 'a'], ['s', 'a'])).size).toBe(3);
  });

  it('gives valid, different and repeatable names for any tools', () => {
    const word = fc.string({
      minLength: 1,
      maxLength: 70,
      unit: fc.constantFrom('a', 'b', '_', '.', ' ', 'é'),
    });
    const tools = fc.uniqueArray(fc.record({ server: word, tool: word }), {
      selector: ({ server, tool }) => `${server}\0${tool}`,
      maxLength: 30,
    });
    fc.assert(
      fc.property(tools, list => {
        const offered = offeredNames(list);
        expect(new Set(offered).size).toBe(list.length);
        for (const name of offered) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(offeredNames(list)).toEqual(offered);
      }),
    );
  });
});
