import { expect, it } from 'vitest';
import { StderrTail } from '../../../src/mcp/transport/stdio.ts';

it('logs whole lines, also of characters cut in two', () => {
  const lines: string[] = [];
  const tail = new StderrTail(line => lines.push(line));
  const bytes = Buffer.from('one é\r\ntwo\n\nthree');
  for (const byte of bytes) expect([...tail.push(Buffer.from([byte]))].length).toBeLessThan(2);
  expect(lines).toEqual(['one é', 'two']);
  tail.flush();
  expect(lines).toEqual(['one é', 'two', 'three']);
  expect(tail.last(2)).toBe('two\nthree');
});

it('holds no more than the last 64 KB', () => {
  const lines: string[] = [];
  const tail = new StderrTail(line => lines.push(line));
  for (let count = 0; count < 100; count++) void [...tail.push(Buffer.alloc(100_000, 'x'))];
  expect(lines.every(line => line.length <= 4096)).toBe(true);
  expect(tail.last().length).toBeLessThan(70_000);
});

it('gives the tail of a message without colours', () => {
  const tail = new StderrTail(() => {});
  void [...tail.push(Buffer.from('\u001b[31mred\u001b[0m\n'))];
  expect(tail.last()).toBe('red');
});
