import { describe, expect, test } from 'vitest';
import { nearest } from '../../src/text/nearest.ts';

describe('nearest', () => {
  test.each([
    ['temprature', ['temperature', 'top-p'], 'temperature'],
    ['ADD', ['add', 'subtract'], 'add'],
    ['zzzzzz', ['add', 'subtract'], undefined],
    ['x', [], undefined],
  ])('%s', (word, candidates, expected) => expect(nearest(word, candidates)).toBe(expected));
});
