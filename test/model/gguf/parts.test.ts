import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { modelName, readGgufParts } from '../../../src/model/gguf/parts.ts';
import { type GgufValue, gguf } from '../model-files.ts';
import { tempFolder } from '../temp-folder.ts';
import { thrown } from '../thrown.ts';

const nameOf = (part: number, of = 3): string => `m-0000${part}-of-0000${of}.gguf`;

function part(no: number, changes: Readonly<Record<string, GgufValue>> = {}, tensor = `t${no}`): Buffer {
  const metadata = { 'split.no': no, 'split.count': 3, 'split.tensors.count': 3, ...changes };
  return gguf({
    metadata: [
      ...(no === 0 ? [['general.architecture', 'llama'] as const] : []),
      ...Object.entries(metadata),
    ],
    tensors: [{ name: tensor, dimensions: [8] }],
    dataBytes: 32,
  });
}

const whole = () => ({ [nameOf(1)]: part(0), [nameOf(2)]: part(1), [nameOf(3)]: part(2) });

describe('readGgufParts', () => {
  test.each([1, 2, 3])('finds all parts when part %i is named', named => {
    const folder = tempFolder(whole());
    const parts = readGgufParts(join(folder, nameOf(named)));
    expect(parts.files).toEqual([1, 2, 3].map(no => join(folder, nameOf(no))));
    expect(parts.tensors.map(({ name, file }) => [name, file])).toEqual([
      ['t0', 0],
      ['t1', 1],
      ['t2', 2],
    ]);
    expect(parts.metadata.get('general.architecture')).toBe('llama');
  });

  test('a file of its own is one part, also with a name like one of several', () => {
    const folder = tempFolder({
      [nameOf(1, 1)]: gguf({ tensors: [{ name: 't', dimensions: [8] }], dataBytes: 32 }),
    });
    const path = join(folder, nameOf(1, 1));
    expect(readGgufParts(path)).toMatchObject({ files: [path], tensors: [{ name: 't', file: 0 }] });
  });

  const refusal = (files: Readonly<Record<string, Buffer>>, named = nameOf(2)) =>
    thrown(() => readGgufParts(join(tempFolder(files), named)));

  test('missing parts are named, a few of many', () => {
    const { [nameOf(1)]: _, [nameOf(3)]: __, ...one } = whole();
    expect(refusal(one)).toMatch(
      /^MODEL_BROKEN: m-00002-of-00003\.gguf is one of 3 parts; missing in its folder: m-00001-of-00003\.gguf, m-00003-of-00003\.gguf\. Download them\.$/,
    );
    const many = { 'm-00001-of-99999.gguf': part(0, { 'split.count': 99999 }) };
    expect(refusal(many, 'm-00001-of-99999.gguf')).toMatch(/00002-of.*00006-of-99999\.gguf and 99993 more/);
  });

  test('parts of another model', () => {
    expect(refusal({ ...whole(), [nameOf(1)]: part(1) })).toMatch(
      /^MODEL_BROKEN: m-00001-of-00003\.gguf is part 2 of 3 by its metadata, not 1 of 3 as its name says/,
    );
    expect(refusal({ ...whole(), [nameOf(3)]: part(2, { 'split.count': 4 }) })).toMatch(/is part 3 of 4/);
    expect(refusal({ ...whole(), [nameOf(3)]: part(2, {}, 't1') })).toMatch(
      /^MODEL_BROKEN: m-00003-of-00003\.gguf has tensor t1, as m-00002-of-00003\.gguf does/,
    );
    expect(refusal({ ...whole(), [nameOf(1)]: part(0, { 'split.tensors.count': 9 }) })).toMatch(
      /its 3 parts hold 3 tensors, not 9/,
    );
  });

  test('a part whose name says nothing, or something else', () => {
    for (const name of ['m.gguf', 'm-00001-of-00002.gguf', 'm-1-of-3.gguf']) {
      expect(refusal({ [name]: part(0) }, name)).toMatch(
        /^MODEL_UNSUPPORTED: .* is one of 3 parts of a model, and not named like one; name the parts NAME-00001-of-00003\.gguf and so on/,
      );
    }
  });

  test('counts that are none, a part that is cut off', () => {
    for (const count of ['three', 0.5]) {
      expect(refusal({ ...whole(), [nameOf(2)]: part(1, { 'split.count': count }) })).toMatch(
        /^MODEL_BROKEN: .*metadata split\.count is not a count/,
      );
    }
    expect(refusal({ ...whole(), [nameOf(3)]: part(2).subarray(0, -40) })).toMatch(
      /^MODEL_BROKEN: m-00003-of-00003\.gguf is .*truncated/,
    );
  });
});

test('modelName is the same for each part', () => {
  expect(modelName('a/b-00002-of-00003.gguf')).toBe('b');
  expect(modelName('a/b.GGUF')).toBe('b');
  expect(modelName('a/b-00002-of-00003')).toBe('b-00002-of-00003');
});
