import { expect, test } from 'vitest';
import { expandAdapter } from '../../../scripts/lib/expand-adapter.mjs';
import { safetensors } from '../../model/model-files.ts';

const NUMBERS = [1, 2, 3, 5, 6, -7];

function expanded(scaleShape: readonly [number, number], scales: readonly number[]): number[] {
  const header = {
    __metadata__: { format: 'mlx' },
    x: { dtype: 'I8', shape: [3, 2], data_offsets: [0, 6] },
    'x.scales': { dtype: 'F16', shape: scaleShape, data_offsets: [6, 6 + 2 * scales.length] },
  };
  const data = [Int8Array.from(NUMBERS), Uint16Array.from(scales)].map(array => new Uint8Array(array.buffer));
  const bytes = expandAdapter(Buffer.concat([safetensors(header), ...data]));
  const headerLength = Number(bytes.readBigUInt64LE());
  expect(headerLength % 8).toBe(0);
  expect(JSON.parse(bytes.toString('utf8', 8, 8 + headerLength))).toEqual({
    __metadata__: { format: 'mlx' },
    x: { dtype: 'F16', shape: [3, 2], data_offsets: [0, 12] },
  });
  return NUMBERS.map((_, index) => bytes.readUInt16LE(8 + headerLength + 2 * index));
}

test('a scale for each row, or for each column', () => {
  const [half, one, two] = [0x3800, 0x3c00, 0x4000];
  expect(expanded([3, 1], [half, one, two])).toEqual([0x3800, 0x3c00, 0x4200, 0x4500, 0x4a00, 0xcb00]);
  expect(expanded([1, 2], [one, two])).toEqual([0x3c00, 0x4400, 0x4200, 0x4900, 0x4600, 0xcb00]);
});

test('rounds to the nearest, ties to even', () => {
  const [above, tiny] = [0x3c01, 0x0001];
  expect(expanded([3, 1], [above, above, above])).toEqual([0x3c01, 0x4001, 0x4202, 0x4501, 0x4602, 0xc702]);
  expect(expanded([3, 1], [tiny, tiny, tiny])).toEqual([1, 2, 3, 5, 6, 0x8007]);
});
