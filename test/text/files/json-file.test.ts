import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readJsonObject } from '../../../src/text/files/json-file.ts';
import { tempFolder } from '../../model/temp-folder.ts';

function read(text: string): unknown {
  const path = join(tempFolder(), 'config.json');
  writeFileSync(path, text);
  return readJsonObject(path);
}

test("Python's infinite numbers", () => {
  const text = '{"limit": [0.0, Infinity], "low": -Infinity, "Infinity": "an \\"Infinity\\""}';
  expect(read(text)).toEqual({
    limit: [0, Number.POSITIVE_INFINITY],
    low: Number.NEGATIVE_INFINITY,
    Infinity: 'an "Infinity"',
  });
});

test.each(['{"a": Infinit}', '{"a": Infinity', '{"a": NaN}', '{"a": "Infinity}'])('%s is broken', text => {
  expect(() => read(text)).toThrow(/is not valid JSON: .* at 1:\d+/);
});

test('the place of a fault is that in the file', () => {
  expect(() => read('{"a": Infinity, "b": }')).toThrow('at 1:22');
});

test.each(['[', '{"a":'])('a broken file nested very deep (%s) needs no stack', opening => {
  expect(() => read(opening.repeat(200_000))).toThrow('nested more than 100 levels deep at 1:');
});
