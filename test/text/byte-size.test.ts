import { expect, test } from 'vitest';
import { byteSize } from '../../src/text/byte-size.ts';

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [9, '9 bytes'],
  [999, '999 bytes'],
  [1000, '1 kB'],
  [1001, '2 kB'],
  [999_001, '1.0 MB'],
  [1_000_000, '1.0 MB'],
  [999_999_999, '1.00 GB'],
  [1_550_000_000, '1.55 GB'],
])('%i bytes are %s', (bytes, shown) => expect(byteSize(bytes)).toBe(shown));
