import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LlmHostError } from '../../../src/errors.ts';
import { readGgufHeader } from '../../../src/model/gguf/gguf.ts';
import type { TextList } from '../../../src/text/text-list.ts';
import { type GgufTensor, gguf, MODELS, u32, u64 } from '../model-files.ts';
import { tempFolder } from '../temp-folder.ts';
import { thrown } from '../thrown.ts';

function read(content: Uint8Array) {
  return readGgufHeader(join(tempFolder({ 'm.gguf': content }), 'm.gguf'));
}

const refusal = (content: Uint8Array) => thrown(() => read(content));
const refusedTensor = (tensor: GgufTensor) => refusal(gguf({ tensors: [tensor], dataBytes: 64 }));

describe('readGgufHeader', () => {
  test('gives metadata of all kinds, and tensors outermost dimension first', () => {
    const tensors = [
      { name: 'a', dimensions: [32, 2], type: 8 },
      { name: 'b', dimensions: [3], offset: 96 },
    ];
    const metadata = [
      ['text', 'né 🐟'],
      ['whole', 7],
      ['float', 0.5],
      ['yes', true],
      ['numbers', [1, 2, 3]],
      ['empty', []],
    ] as const;
    const content = gguf({ version: 2, metadata, tensors, dataBytes: 108 });
    const start = content.length - 108;
    const header = read(content);
    expect(Object.fromEntries(header.metadata)).toEqual(Object.fromEntries(metadata));
    expect(header.tensors).toEqual([
      { name: 'a', dtype: 'Q8_0', shape: [2, 32], offset: start, bytes: 68 },
      { name: 'b', dtype: 'F32', shape: [3], offset: start + 96, bytes: 12 },
    ]);
  });

  test('texts come as a list', () => {
    const words = ['x', '', 'é🐟'];
    expect([...(read(gguf({ metadata: [['words', words]] })).metadata.get('words') as TextList)]).toEqual(
      words,
    );
  });

  test('long metadata cross the reading buffer', () => {
    const words = Array.from({ length: 80_000 }, (_, i) => `word ${i}`);
    const header = read(gguf({ metadata: [['words', words]] }));
    expect([...(header.metadata.get('words') as TextList)]).toEqual(words);
  });

  test('whole numbers beyond 2^53 stay exact', () => {
    const big = Buffer.concat([
      Buffer.from('GGUF'),
      u32(3),
      u64(0n),
      u64(1n),
      u64(1n),
      Buffer.from('n'),
      u32(10),
      u64(2n ** 60n),
    ]);
    expect(read(big).metadata.get('n')).toBe(2n ** 60n);
  });

  test('what is not a GGUF file, or one of another kind', () => {
    expect(refusal(Buffer.from(''))).toMatch(/^MODEL_BROKEN: m\.gguf is truncated/);
    expect(refusal(Buffer.from('GGML....'))).toMatch(/is not a GGUF file/);
    expect(refusal(gguf({ version: 1 }))).toMatch(
      /^MODEL_UNSUPPORTED: m\.gguf has GGUF version 1; supported: 2, 3/,
    );
    expect(refusal(gguf({ version: 0x03000000 }))).toMatch(/^MODEL_UNSUPPORTED: .*big-endian/);
  });

  test('hostile counts and lengths are refused without the memory that they ask for', () => {
    const before = process.memoryUsage().rss;
    const huge = 2n ** 63n;
    expect(refusal(gguf({ tensorCount: huge }))).toMatch(/^MODEL_BROKEN: .*tensors in \d+ bytes/);
    expect(refusal(gguf({ pairCount: huge }))).toMatch(/metadata entries in \d+ bytes/);
    const start = [Buffer.from('GGUF'), u32(3), u64(0n), u64(1n)];
    expect(refusal(Buffer.concat([...start, u64(huge), Buffer.alloc(32)]))).toMatch(
      /bytes of text in 32 bytes/,
    );
    const key = [u64(1n), Buffer.from('k')];
    expect(refusal(Buffer.concat([...start, ...key, u32(9), u32(8), u64(huge)]))).toMatch(
      /entries of k in 0 bytes/,
    );
    expect(refusal(Buffer.concat([...start, ...key, u32(9), u32(4), u64(1n << 40n)]))).toMatch(
      /entries of k/,
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
  });

  test('a file as large as it says is refused too, where its lists would fill the memory', () => {
    const entry = (key: string, bytes: number) =>
      Buffer.concat([u64(1n), Buffer.from(key), u32(9), u32(0), u64(BigInt(bytes)), Buffer.alloc(bytes)]);
    const start = [Buffer.from('GGUF'), u32(3), u64(0n)];
    expect(refusal(Buffer.concat([...start, u64(1n), entry('k', 20_000_000)]))).toMatch(
      /^MODEL_BROKEN: m\.gguf is broken: 20000000 entries of k$/,
    );
    const many = ['a', 'b', 'c'].map(key => entry(key, 6_000_000));
    expect(refusal(Buffer.concat([...start, u64(3n), ...many]))).toMatch(/6000000 entries of c$/);
    const names = Buffer.concat([
      Buffer.from('GGUF'),
      u32(3),
      u64(2_000_000n),
      u64(0n),
      Buffer.alloc(48_000_000),
    ]);
    expect(refusal(names)).toMatch(/is broken: 2000000 tensors and 0 metadata entries$/);
  });

  test('a text that is too long, arrays that are nested too deep', () => {
    const start = [Buffer.from('GGUF'), u32(3), u64(0n), u64(1n), u64(1n), Buffer.from('k')];
    const long = Buffer.concat([...start, u32(8), u64(20_000_000n), Buffer.alloc(20_000_000)]);
    expect(refusal(long)).toMatch(/a text of 20000000 bytes/);
    const nested = Array.from({ length: 50 }, () => Buffer.concat([u32(9), u64(1n)]));
    expect(refusal(Buffer.concat([...start, u32(9), ...nested, Buffer.alloc(99)]))).toMatch(
      /k is nested too deep/,
    );
  });

  test.each<[string, GgufTensor, RegExp]>([
    [
      'unsupported type',
      { name: 't', dimensions: [256], type: 16 },
      /^MODEL_UNSUPPORTED: .*tensor t of type IQ2_XXS.*supported: F32, F16/,
    ],
    ...(
      [
        [33, 'Q4_0_8_8'],
        [40, 'NVFP4'],
        [41, 'Q1_0'],
        [42, 'Q2_0'],
        [43, '43 \\(newer than this program\\)'],
        [255, '255 \\(newer than this program\\)'],
      ] as const
    ).map(([type, text]): [string, GgufTensor, RegExp] => [
      `type ${type}`,
      { name: 't', dimensions: [256], type },
      new RegExp(
        `^MODEL_UNSUPPORTED: .*tensor t of type ${text}, which is not supported; supported: F32, F16`,
      ),
    ]),
    ['no type', { name: 't', dimensions: [32], type: 5 }, /^MODEL_BROKEN: .*tensor t has type 5/],
    ['hardly one', { name: 't', dimensions: [32], type: 256 }, /^MODEL_BROKEN: .*tensor t has type 256/],
    ['too many dimensions', { name: 't', dimensions: [1, 1, 1, 1, 1] }, /tensor t has 5 dimensions/],
    ['overflow', { name: 't', dimensions: [2n ** 31n - 1n, 2n ** 31n - 1n] }, /tensor t has shape/],
    ['beyond 2^53', { name: 't', dimensions: [2n ** 63n] }, /tensor t has shape/],
    [
      'part of a block',
      { name: 't', dimensions: [16], type: 2 },
      /tensor t of type Q4_0 has rows of 16, not a multiple of 32/,
    ],
    ['unaligned', { name: 't', dimensions: [1], offset: 4 }, /tensor t starts at 4, not a multiple of 32/],
    [
      'outside',
      { name: 't', dimensions: [16], offset: 32 },
      /truncated \(tensor t\): needs \d+ bytes, file has \d+\. Download/,
    ],
  ])('%s', (_, tensor, message) => {
    expect(refusedTensor(tensor)).toMatch(message);
  });

  test('overlap, names that are there twice, a broken alignment', () => {
    const a = { name: 'a', dimensions: [16] };
    expect(refusal(gguf({ tensors: [a, { ...a, name: 'b', offset: 32 }], dataBytes: 128 }))).toMatch(
      /a and b overlap/,
    );
    expect(refusal(gguf({ tensors: [a, { ...a, offset: 64 }], dataBytes: 128 }))).toMatch(
      /tensor a occurs twice/,
    );
    expect(
      refusal(
        gguf({
          metadata: [
            ['k', 1],
            ['k', 2],
          ],
        }),
      ),
    ).toMatch(/metadata k occurs twice/);
    expect(refusal(gguf({ metadata: [['general.alignment', 33]] }))).toMatch(/general\.alignment is 33/);
    expect(refusal(gguf({ metadata: [['general.alignment', 0]] }))).toMatch(/general\.alignment is 0/);
  });

  const real = readFileSync(join(MODELS, 'tiny-mixed.gguf'));

  test('any cut of a real file is refused', () => {
    const path = join(tempFolder(), 'm.gguf');
    const headerEnd = Math.min(...readGgufHeader(join(MODELS, 'tiny-mixed.gguf')).tensors.map(t => t.offset));
    const cut = fc.oneof(
      fc.integer({ min: 0, max: headerEnd }),
      fc.integer({ min: 0, max: real.length - 1 }),
    );
    fc.assert(
      fc.property(cut, end => {
        writeFileSync(path, real.subarray(0, end));
        expect(thrown(() => readGgufHeader(path))).toMatch(/^MODEL_BROKEN: .*truncated.*Download it again/);
      }),
      { numRuns: 400 },
    );
  });

  test('random bytes in the header never do more than LlmHostError', () => {
    const path = join(tempFolder(), 'm.gguf');
    const change = fc.record({ at: fc.nat(3000), byte: fc.nat(255) });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), changes => {
        const bytes = Buffer.from(real);
        for (const { at, byte } of changes) bytes[at] = byte;
        writeFileSync(path, bytes);
        try {
          readGgufHeader(path);
        } catch (error) {
          expect(error).toBeInstanceOf(LlmHostError);
        }
      }),
      { numRuns: 400 },
    );
  });
});
