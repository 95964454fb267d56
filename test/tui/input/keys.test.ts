import { expect, test } from 'vitest';
import { type Key, KeyDecoder } from '../../../src/tui/input/keys.ts';

const key = (name: string): Key => ({ type: 'key', name });
const text = (typed: string): Key => ({ type: 'text', text: typed });

const TABLE: readonly (readonly [string, readonly Key[]])[] = [
  ['hi 漢字', [text('hi 漢字')]],
  ['\r', [key('enter')]],
  ['\n', [key('ctrl+j')]],
  ['\t', [key('tab')]],
  ['\u007f', [key('backspace')]],
  [
    '\u0001\u0005\u000b\u0015\u0017\u0019',
    ['a', 'e', 'k', 'u', 'w', 'y'].map(letter => key(`ctrl+${letter}`)),
  ],
  ['\u0003\u0004\u0007\u000f\u0012', ['c', 'd', 'g', 'o', 'r'].map(letter => key(`ctrl+${letter}`))],
  ['\u001bb\u001bf', [key('alt+b'), key('alt+f')]],
  ['\u001b\r', [key('alt+enter')]],
  ['\u001b😀x', [key('alt+😀'), text('x')]],
  ['\u001b[A\u001b[B\u001bOC\u001bOD', ['up', 'down', 'right', 'left'].map(key)],
  ['\u001b[H\u001b[F\u001b[1~\u001b[4~\u001b[3~', ['home', 'end', 'home', 'end', 'delete'].map(key)],
  ['\u001b[Z', [key('shift+tab')]],
  ['\u001b[1;5C\u001b[1;3D', [key('ctrl+right'), key('alt+left')]],
  ['\u001b[13;2u', [key('shift+enter')]],
  ['a\rb', [text('a'), key('enter'), text('b')]],
  ['\u001b[200~one\rtwo\u001b[A\u001b[201~x', [{ type: 'paste', text: 'one\ntwo\u001b[A' }, text('x')]],
  ['\u001b[999;1q', []],
  ['\u001b[1114111u\u001b[1114112u\u001b[99999999999999999999;5ux', [key('\u{10FFFF}'), text('x')]],
];

test.each(TABLE)('%j', (bytes, keys) => {
  expect(new KeyDecoder().push(Buffer.from(bytes))).toEqual(keys);
});

/** Text may come in more pieces than it was sent in. */
function joined(keys: readonly Key[]): Key[] {
  const all: Key[] = [];
  for (const one of keys) {
    const last = all.at(-1);
    if (one.type === 'text' && last?.type === 'text') all[all.length - 1] = text(last.text + one.text);
    else all.push(one);
  }
  return all;
}

test.each(TABLE)('%j byte by byte gives the same', (bytes, keys) => {
  const decoder = new KeyDecoder();
  const all = [...Buffer.from(bytes)].flatMap(byte => decoder.push(Buffer.from([byte])));
  expect(joined([...all, ...decoder.flush()])).toEqual(keys);
});

test('a paste whose end was lost ends with Ctrl+C', () => {
  const decoder = new KeyDecoder();
  expect(decoder.push(Buffer.from('\u001b[200~one\ntwo\u001b'))).toEqual([]);
  expect(decoder.push(Buffer.from('\u0003'))).toEqual([
    { type: 'paste', text: 'one\ntwo\u001b' },
    key('ctrl+c'),
  ]);
  expect(decoder.push(Buffer.from('a'))).toEqual([text('a')]);
});

test('an escape that nothing follows is the key; twice too', () => {
  const decoder = new KeyDecoder();
  expect(decoder.push(Buffer.from('\u001b'))).toEqual([]);
  expect(decoder.undecided).toBe(true);
  expect(decoder.flush()).toEqual([key('escape')]);
  expect([...decoder.push(Buffer.from('\u001b\u001b')), ...decoder.flush()]).toEqual([
    key('escape'),
    key('escape'),
  ]);
});
