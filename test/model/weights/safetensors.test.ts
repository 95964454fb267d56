import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LlmHostError } from '../../../src/errors.ts';
import { readSafetensorsHeader } from '../../../src/model/weights/safetensors.ts';
import { MODELS, safetensors, vector } from '../model-files.ts';
import { tempFolder } from '../temp-folder.ts';
import { thrown } from '../thrown.ts';

function read(content: Uint8Array) {
  return readSafetensorsHeader(join(tempFolder({ 'm.safetensors': content }), 'm.safetensors'));
}

const refusal = (content: Uint8Array) => thrown(() => read(content));

describe('readSafetensorsHeader', () => {
  test('gives names, types, shapes and ranges from the start of the file', () => {
    const header = { __metadata__: { format: 'pt' }, b: vector(0, 3), a: vector(12, 2), none: vector(12, 0) };
    const content = safetensors(header, 20);
    const start = content.length - 20;
    expect(read(content)).toEqual({
      metadata: { format: 'pt' },
      tensors: [
        { name: 'b', dtype: 'F32', shape: [3], offset: start, bytes: 12 },
        { name: 'a', dtype: 'F32', shape: [2], offset: start + 12, bytes: 8 },
        { name: 'none', dtype: 'F32', shape: [0], offset: start + 12, bytes: 0 },
      ],
    });
  });

  test('takes metadata of null, as MLX writes it, and a scalar', () => {
    const scalar = { dtype: 'F32', shape: [], data_offsets: [0, 4] };
    expect(read(safetensors({ __metadata__: null, x: scalar }, 4)).tensors).toHaveLength(1);
  });

  test('a missing file, a folder', () => {
    const folder = tempFolder();
    expect(thrown(() => readSafetensorsHeader(join(folder, 'm.safetensors')))).toMatch(
      /^MODEL_BROKEN: m\.safetensors cannot be opened: ENOENT/,
    );
    expect(thrown(() => readSafetensorsHeader(folder))).toMatch(/is not a file$/);
  });

  test('a named pipe does not hang', () => {
    const path = join(tempFolder(), 'm.safetensors');
    execFileSync('mkfifo', [path]);
    expect(thrown(() => readSafetensorsHeader(path))).toMatch(/is not a file$/);
  });

  test('names that would steer the terminal, or fill it', () => {
    const message = refusal(safetensors({ '\u001b]0;x\u0007\u001b[2J': vector(0, 1) }, 4));
    expect(message).toMatch(/^MODEL_BROKEN: .*it has a tensor named/);
    expect(message).not.toMatch(/\p{Cc}/u);
    expect(refusal(safetensors({ ['x'.repeat(1e6)]: vector(0, 1) }, 4)).length).toBeLessThan(600);
    expect(refusal(safetensors({ t: { dtype: '\u009b2J'.repeat(999) } })).length).toBeLessThan(600);
  });

  test('a header that is nested without end', () => {
    const deep = `${'['.repeat(1e6)}${']'.repeat(1e6)}`;
    for (const text of [`{"t":{"dtype":"F32","shape":${deep},"data_offsets":[0,4]}}`, `{"t":${deep}}`]) {
      const length = Buffer.alloc(8);
      length.writeBigUInt64LE(BigInt(text.length));
      expect(refusal(Buffer.concat([length, Buffer.from(text), Buffer.alloc(4)]))).toBe(
        'MODEL_BROKEN: m.safetensors has a broken header: nested more than 100 levels deep',
      );
    }
  });

  test('a file that is shorter than its header says', () => {
    expect(refusal(Buffer.alloc(0))).toMatch(/needs 8 bytes, file has 0\. Download it again\./);
    expect(refusal(Buffer.alloc(7))).toMatch(/needs 8 bytes, file has 7/);
    const length = Buffer.alloc(10);
    length.writeBigUInt64LE(1000n);
    expect(refusal(length)).toBe(
      'MODEL_BROKEN: m.safetensors is truncated: needs 1008 bytes, file has 10. Download it again.',
    );
    length.writeBigUInt64LE(2n ** 64n - 1n);
    expect(refusal(length)).toMatch(/its header would have 18446744073709551615 bytes, at most 100000000/);
  });

  test('a truncated tensor is named', () => {
    expect(refusal(safetensors({ a: vector(0, 2), b: vector(8, 2) }, 12))).toMatch(
      /^MODEL_BROKEN: m\.safetensors is truncated \(tensor b\): needs \d+ bytes, file has \d+\. Download it again\.$/,
    );
  });

  test('a header that is no JSON object in UTF-8', () => {
    expect(refusal(safetensors(Buffer.from([0x7b, 0xff, 0x7d])))).toMatch(/broken header: not valid UTF-8$/);
    expect(refusal(safetensors('{"a": '))).toMatch(/broken header: .*JSON/);
    expect(refusal(safetensors('[]'))).toMatch(/not a JSON object/);
    expect(refusal(safetensors({ __metadata__: { n: 1 } }))).toMatch(
      /__metadata__ must map names to strings/,
    );
  });

  test.each([
    [
      'unsupported type',
      { dtype: 'F64', shape: [1], data_offsets: [0, 8] },
      /^MODEL_UNSUPPORTED: .*tensor t of type F64/,
    ],
    [
      'unsupported type',
      { dtype: 'F8_E4M3', shape: [8], data_offsets: [0, 8] },
      /^MODEL_UNSUPPORTED: .*F8_E4M3/,
    ],
    [
      'unknown type',
      { dtype: 'Q9', shape: [1], data_offsets: [0, 8] },
      /^MODEL_BROKEN: .*tensor t has type "Q9"/,
    ],
    ['type of Object', { dtype: 'constructor', shape: [1], data_offsets: [0, 8] }, /has type "constructor"/],
    ['no type', { shape: [2], data_offsets: [0, 8] }, /tensor t has type undefined/],
    ['no shape', { dtype: 'F32', data_offsets: [0, 8] }, /tensor t has shape undefined/],
    ['negative size', { dtype: 'F32', shape: [-2], data_offsets: [0, 8] }, /tensor t has shape \[-2\]/],
    ['fraction', { dtype: 'F32', shape: [1.5], data_offsets: [0, 8] }, /tensor t has shape/],
    [
      'overflow',
      { dtype: 'F32', shape: [2 ** 31 - 1, 2 ** 31 - 1], data_offsets: [0, 8] },
      /tensor t has shape/,
    ],
    [
      'wrong size',
      { dtype: 'F32', shape: [3], data_offsets: [0, 8] },
      /tensor t has 8 bytes, F32 \[3\] needs 12/,
    ],
    [
      'wrong type for its bytes',
      { dtype: 'F16', shape: [2], data_offsets: [0, 8] },
      /has 8 bytes, F16 \[2\] needs 4/,
    ],
    [
      'reversed range',
      { dtype: 'F32', shape: [2], data_offsets: [8, 0] },
      /tensor t has data_offsets \[8,0\]/,
    ],
    ['one offset', { dtype: 'F32', shape: [2], data_offsets: [8] }, /tensor t has data_offsets/],
    ['negative offset', { dtype: 'F32', shape: [2], data_offsets: [-8, 0] }, /tensor t has data_offsets/],
    ['no description', 5, /tensor t has no description/],
  ])('%s', (_, tensor, message) => {
    expect(refusal(safetensors({ t: tensor }, 8))).toMatch(message);
  });

  test('ranges that overlap, a name that is there twice', () => {
    expect(refusal(safetensors({ a: vector(0, 2), b: vector(4, 2) }, 12))).toMatch(
      /tensors a and b overlap$/,
    );
    const tensor = JSON.stringify(vector(0, 1));
    expect(refusal(safetensors(`{"a":${tensor},"a":${tensor}}`, 4))).toMatch(/tensor a occurs twice$/);
  });

  test('any cut of a real file is refused', () => {
    const content = readFileSync(join(MODELS, 'tiny-f16', 'model.safetensors'));
    const path = join(tempFolder(), 'm.safetensors');
    const cut = fc.integer({ min: 0, max: content.length - 1 });
    fc.assert(
      fc.property(cut, end => {
        writeFileSync(path, content.subarray(0, end));
        expect(thrown(() => readSafetensorsHeader(path))).toMatch(/^MODEL_BROKEN: .*Download it again/);
      }),
    );
  });

  test('random bytes in the header never do more than LlmHostError', () => {
    const content = readFileSync(join(MODELS, 'tiny-f16', 'model.safetensors')).subarray(0, 4000);
    const path = join(tempFolder(), 'm.safetensors');
    const change = fc.record({ at: fc.nat(content.length - 1), byte: fc.nat(255) });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), changes => {
        const bytes = Buffer.from(content);
        for (const { at, byte } of changes) bytes[at] = byte;
        writeFileSync(path, bytes);
        try {
          readSafetensorsHeader(path);
        } catch (error) {
          expect(error).toBeInstanceOf(LlmHostError);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('random JSON as the header never does more than LlmHostError', () => {
    const path = join(tempFolder(), 'm.safetensors');
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), header => {
        writeFileSync(path, safetensors(header, 16));
        try {
          readSafetensorsHeader(path);
        } catch (error) {
          expect(error).toBeInstanceOf(LlmHostError);
        }
      }),
      { numRuns: 300 },
    );
  });
});
