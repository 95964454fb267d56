import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { Keyboard } from '../../../src/tui/input/keys.ts';

function opened() {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
  let ends = 0;
  const keyboard = new Keyboard(input as unknown as NodeJS.ReadStream, {
    onKeys: () => undefined,
    onEnd: () => {
      ends += 1;
    },
  });
  keyboard.open();
  return { input, keyboard, ends: () => ends };
}

test('a terminal that can no longer be read is one that has gone away', () => {
  const { input, ends } = opened();
  input.emit('error', Object.assign(new Error('read EIO'), { code: 'EIO' }));
  expect(ends()).toBe(1);
});

test('closed, it leaves no listener behind', () => {
  const { input, keyboard } = opened();
  keyboard.close();
  expect(['data', 'end', 'error'].map(event => input.listenerCount(event))).toEqual([0, 0, 0]);
});
