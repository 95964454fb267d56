import { expect, it } from 'vitest';
import {
  type Answered,
  judgeDenial,
  judgePlain,
  namedTools,
  refuses,
  sameArguments,
  says,
  stepsDone,
} from '../demo/rules.mjs';

const text = (said: string): Answered => ({ calls: [], malformed: 0, text: said });
const call = (name: string, args = {}): Answered => ({
  calls: [{ name, arguments: args }],
  malformed: 0,
  text: '',
});

it.each([
  ["I can't do that: none of my tools can split loads.", true],
  ['Sorry, I can’t take square roots with the tools I have.', true],
  ["I'm sorry, but I have no tool to write files.", true],
  ["I'd need a tool to do this, and there is none in my list.", true],
  ['My tools cannot check the weather.', true],
  ["I don't have the ability to browse.", true],
  ['There is no function here to add numbers.', true],
  ["I can't hear it, but I think that music is wonderful.", false],
  ["You can't divide by zero.", false],
  ["I don't have feelings.", false],
  ['A hammer is a tool, and a saw is another tool.', false],
  ['Here is it. It is long. I can do more. I cannot say what.', false],
  ['Dear diary, I could not do much today.', false],
  ['', false],
])('%j is a refusal: %j', (said, is) => expect(refuses(said)).toBe(is));

it.each([
  ['The answer is 5.', ['5'], true],
  ['The answer is 25.', ['5'], false],
  ['It is 5.5.', ['5'], false],
  ['about 7, and 42', ['42', '7'], true],
  ['Call 0761-55 90 12', ['0761-55 90 12'], true],
  ['No, it is not.', ['no'], true],
  ['Now it is.', ['no'], false],
  ['It eats peanuts', ['peanut'], true],
  ['I like compeanuts', ['peanut'], false],
  ['on May 6', ['6 May|May 6'], true],
  ['2.8284271', ['~2\\.828'], true],
  ['print("a")', ['print'], true],
  ['use #', ['#'], true],
])('%j says %j: %j', (said, wanted, is) => expect(says(said, wanted)).toBe(is));

it('a tool is named by all words of its name', () => {
  const tools = ['list_files', 'square_root', 'add', 'delete_file'];
  expect(namedTools('I can add numbers, take square roots and list files.', tools)).toBe(3);
  expect(namedTools('I can list your ideas.', tools)).toBe(0);
});

it.each([
  [call('power', { base: 2, exponent: 10 }), 'right'],
  [call('power', { base: 10, exponent: 2 }), 'arguments'],
  [call('multiply', { a: 2, b: 10 }), 'tool'],
  [text("I can't work out powers with the tools I have."), 'denied'],
  [text('2^10 is 1024.'), 'words'],
  [{ calls: [], malformed: 1, text: '' }, 'tool'],
  [{ ...call('power', { base: 2, exponent: 10 }), malformed: 1 }, 'tool'],
])('what answers 2^10: %j is %s', (answered, verdict) => {
  expect(judgeDenial({ tool: 'power', arguments: [{ base: 2, exponent: 10 }] }, answered)).toBe(verdict);
});

it.each([
  [{}, text('Apple, pear, plum.'), 'right'],
  [{}, text('  '), 'silent'],
  [{}, text("I can't list fruits: none of my tools can."), 'refused'],
  [{}, call('list_files'), 'called'],
  [{ says: ['rome'] }, text('Paris.'), 'wrong'],
  [{ kind: 'writing' }, text("Dear boss, I am late. I can't come before ten."), 'right'],
  [{ kind: 'talk' }, text("Dear boss, I am late. I can't come before ten."), 'refused'],
  [{ names: 3 }, text('I can add, and list files.'), 'right'],
  [{ names: 3 }, text('I can add.'), 'wrong'],
])('plain %j: %j is %s', (wanted, answered, verdict) => {
  expect(judgePlain(wanted, answered, ['add', 'list_files'])).toBe(verdict);
});

it('a reply makes one or several of the next calls, in order', () => {
  const read = { call: ['read_file', { filename: 'a.txt' }] } as const;
  const remove = { call: ['delete_file', { filename: 'a.txt' }] } as const;
  const steps = [read, remove, { says: ['a.txt'] }];
  const both = {
    calls: [...call(...read.call).calls, ...call(...remove.call).calls],
    malformed: 0,
    text: '',
  };
  expect(stepsDone(steps, call(...read.call))).toBe(1);
  expect(stepsDone(steps, both)).toBe(2);
  expect(stepsDone(steps, { ...both, calls: [...both.calls].reverse() })).toBe(0);
  expect(stepsDone(steps, { ...both, malformed: 1 })).toBe(0);
  expect(stepsDone(steps, text('a.txt is gone'))).toBe(0);
  expect(stepsDone(steps.slice(2), text('a.txt is gone'))).toBe(1);
  expect(stepsDone(steps.slice(2), { ...both, text: 'a.txt' })).toBe(0);
  expect(stepsDone([{ asks: ['which|what'] }], text('Which file?'))).toBe(1);
  expect(stepsDone([{ asks: ['which|what'] }], text('Which file.'))).toBe(0);
  expect(stepsDone([{ says: ['riga'], not: ['oslo'] }], text('Riga or Oslo'))).toBe(0);
});

it.each([
  [{ a: 2 }, { a: 2.0 }, true],
  [{ f: 'A.txt' }, { f: '"a.txt"', directory: '' }, true],
  [{ d: 'recipes' }, { d: 'recipes/' }, true],
  [{ t: 'hi' }, { t: 'hi', more: 'x' }, false],
  [{ t: '2' }, { t: 2 }, false],
  [{ t: 'hi' }, {}, false],
])('%j and %j are the same: %j', (wanted, got, is) => expect(sameArguments(wanted, got)).toBe(is));

it('whole numbers may be bigints', () => expect(sameArguments({ a: 2 }, { a: 2n })).toBe(true));
