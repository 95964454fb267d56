import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { promptOf } from '../../native/tiny/run-job.ts';
import { tinyModel } from '../../native/tiny/tiny-model.ts';
import { filesOf, newFolder, once } from './kept-prefixes.ts';

const { spec } = tinyModel({
  config: { layer_types: ['sliding_attention', 'full_attention'], sliding_window: 8, head_dim: 32 },
});
const SHARED = 300;
const job = { promptIds: promptOf(340), sharedTokens: SHARED, checkpoints: [SHARED] };

let good: Buffer;
let name: string;
let wanted: readonly number[];
beforeAll(async () => {
  const folder = newFolder();
  wanted = (await once(spec, folder, job)).ids;
  [name] = filesOf(folder) as [string];
  good = readFileSync(join(folder, name));
});

type Entry = { dtype: string; shape: number[]; data_offsets: [number, number] };
type Header = Record<string, Entry> & { __metadata__: Record<string, string> };

const dataStart = () => 8 + Number(good.readBigUInt64LE());
const headerOf = () => JSON.parse(good.subarray(8, dataStart()).toString()) as Header;
const entry = (header: Header, tensor: string) => header[tensor] as Entry;

/** The good file with another header before the same data. */
function withHeader(change: (header: Header) => void): Buffer {
  const header = headerOf();
  change(header);
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, good.subarray(dataStart())]);
}

function flipped(at: number, mask = 1): Buffer {
  const bytes = Buffer.from(good);
  bytes[at] = (bytes[at] as number) ^ mask;
  return bytes;
}

const middleOf = (tensor: string) => {
  const [from, to] = entry(headerOf(), tensor).data_offsets;
  return dataStart() + Math.floor((from + to) / 2);
};
const TENSORS = [
  'ids',
  'planned',
  'reproducible',
  'layers.0.keys',
  'layers.0.values',
  'layers.1.keys',
  'layers.1.values',
];
const cutAt = (part: number) => () => good.subarray(0, Math.floor(part * good.length));

const DAMAGED: readonly (readonly [string, () => Buffer])[] = [
  ['is empty', () => Buffer.alloc(0)],
  ['ends in its first number', () => good.subarray(0, 5)],
  ['ends behind its first number', () => good.subarray(0, 8)],
  ['ends in its header', () => good.subarray(0, 40)],
  ['ends behind its header', () => good.subarray(0, dataStart())],
  ['is cut to a quarter', cutAt(0.25)],
  ['is cut to a half', cutAt(0.5)],
  ['lacks its last byte', () => good.subarray(0, -1)],
  [
    'has a byte too many in the middle',
    () => Buffer.concat([good.subarray(0, dataStart() + 1), Buffer.alloc(1), good.subarray(dataStart() + 1)]),
  ],
  ['is all zeros', () => Buffer.alloc(good.length)],
  ['is all ones', () => Buffer.alloc(good.length, 0xff)],
  ['is a text', () => Buffer.from('This is not a cache.\n'.repeat(100))],
  ['has a header of endless length', () => Buffer.concat([Buffer.alloc(8, 0xff), good.subarray(8)])],
  ['has a header of another length', () => flipped(0)],
  ['has a header that is no JSON', () => flipped(8)],
  ...TENSORS.map(tensor => [`has a flipped bit in ${tensor}`, () => flipped(middleOf(tensor))] as const),
  ['has a flipped sign', () => flipped(middleOf('layers.1.values') | 3, 0x80)],
  ['has a flipped last bit', () => flipped(good.length - 1, 0x80)],
  [
    'has another format',
    () =>
      withHeader(h => {
        h.__metadata__.format = 'pt';
      }),
  ],
  [
    'has another version',
    () =>
      withHeader(h => {
        h.__metadata__.version = '1';
      }),
  ],
  [
    'was saved for another key',
    () =>
      withHeader(h => {
        h.__metadata__.model_hash = '0'.repeat(64);
      }),
  ],
  [
    'has another checksum',
    () =>
      withHeader(h => {
        h.__metadata__.checksum = '0'.repeat(16);
      }),
  ],
  [
    'has no checksum',
    () =>
      withHeader(h => {
        delete h.__metadata__.checksum;
      }),
  ],
  [
    'has no metadata',
    () =>
      withHeader(h => {
        h.__metadata__ = {};
      }),
  ],
  [
    'has fewer tokens',
    () =>
      withHeader(h => {
        entry(h, 'ids').shape = [SHARED - 1];
      }),
  ],
  [
    'has shapes that overflow',
    () =>
      withHeader(h => {
        entry(h, 'ids').shape = [2 ** 31, 2 ** 31, 2 ** 31];
      }),
  ],
  [
    'has a negative shape',
    () =>
      withHeader(h => {
        entry(h, 'ids').shape = [-1];
      }),
  ],
  [
    'has turned keys',
    () =>
      withHeader(h => {
        entry(h, 'layers.1.keys').shape.reverse();
      }),
  ],
  [
    'has another type',
    () =>
      withHeader(h => {
        entry(h, 'layers.1.keys').dtype = 'I32';
      }),
  ],
  [
    'has an unknown type',
    () =>
      withHeader(h => {
        entry(h, 'layers.1.keys').dtype = 'F4';
      }),
  ],
  [
    'has keys and values exchanged',
    () =>
      withHeader(h => {
        const { 'layers.1.keys': keys, 'layers.1.values': values } = h;
        Object.assign(h, { 'layers.1.keys': values, 'layers.1.values': keys });
      }),
  ],
  [
    'has offsets beyond its end',
    () =>
      withHeader(h => {
        entry(h, 'layers.1.keys').data_offsets = [0, 2 ** 52];
      }),
  ],
  [
    'has offsets the wrong way round',
    () =>
      withHeader(h => {
        entry(h, 'layers.1.keys').data_offsets.reverse();
      }),
  ],
  [
    'lacks a tensor',
    () =>
      withHeader(h => {
        delete h['layers.0.keys'];
      }),
  ],
  [
    'lacks a layer',
    () =>
      withHeader(h => {
        delete h['layers.1.keys'];
        delete h['layers.1.values'];
      }),
  ],
  [
    'has a layer too many',
    () =>
      withHeader(h => {
        h['layers.2.keys'] = entry(h, 'layers.1.keys');
      }),
  ],
  [
    'does not say its length',
    () =>
      withHeader(h => {
        delete h.planned;
      }),
  ],
];

test.each(DAMAGED)('a file that %s is dropped, noted and written anew', async (_what, content) => {
  const folder = newFolder();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), content());
  const { ids, cachedTokens, notes } = await once(spec, folder, job);
  expect(ids).toEqual(wanted);
  expect(cachedTokens).toBe(0);
  expect(notes[0]).toContain('A kept prefix is not used: ');
  expect(filesOf(folder)).toEqual([name]);
  const again = await once(spec, folder, job);
  expect([again.cachedTokens, again.notes, again.ids]).toEqual([SHARED, [], wanted]);
});

const INSTEAD: readonly (readonly [string, (path: string) => void])[] = [
  ['a folder', path => mkdirSync(path)],
  ['a folder with something in it', path => mkdirSync(join(path, 'x'), { recursive: true })],
  [
    'a symbolic link to a good file',
    path => {
      writeFileSync(`${path}.elsewhere`, good);
      symlinkSync(`${path}.elsewhere`, path);
    },
  ],
  ['a symbolic link to nothing', path => symlinkSync('/no/such/file', path)],
  ['a symbolic link to itself', path => symlinkSync(path, path)],
];

test.each(INSTEAD)('%s in its place is not followed, and the reply is the same', async (_what, put) => {
  const folder = newFolder();
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  put(path);
  const folderBefore = lstatSync(path).isDirectory();
  const { ids, cachedTokens } = await once(spec, folder, job);
  expect([cachedTokens, ids]).toEqual([0, wanted]);
  // A link is replaced, never what it points to; a folder stays.
  expect(lstatSync(path).isFile()).toBe(!folderBefore);
});

test.skipIf(process.getuid?.() === 0)(
  'a file that may not be read is written anew (only where the tests do not run as root)',
  async () => {
    const folder = newFolder();
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), good);
    chmodSync(join(folder, name), 0);
    expect((await once(spec, folder, job)).cachedTokens).toBe(0);
    expect((await once(spec, folder, job)).cachedTokens).toBe(SHARED);
  },
);

test('a good file of another prefix in its place is not used', async () => {
  const folder = newFolder();
  await once(spec, folder, { ...job, promptIds: promptOf(340, 5) });
  const [other] = filesOf(folder) as [string];
  renameSync(join(folder, other), join(folder, name));
  const { cachedTokens, ids } = await once(spec, folder, job);
  expect([cachedTokens, ids]).toEqual([0, wanted]);
  rmSync(folder, { recursive: true });
});
