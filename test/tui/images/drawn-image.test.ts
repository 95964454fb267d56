import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { drawnImage, imageFacts } from '../../../src/tui/images/drawn-image.ts';
import { chunk, png } from './png.ts';

const dir = mkdtempSync(join(tmpdir(), 'llm-host-test-'));
afterAll(() => rmSync(dir, { recursive: true }));

const BOX = { rows: 12, columns: 80 };
const jpeg = (width: number, height: number) =>
  Buffer.from([
    ...[0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2],
    ...[0xff, 0xc0, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0],
    ...[0xff, 0xda, 0, 2, 0, 0xff, 0xd9],
  ]);
const gif = Buffer.from('GIF89a\x40\x00\x20\x00\x00\x00\x00,\x00;', 'latin1');

function file(name: string, data: Buffer): string {
  writeFileSync(join(dir, name), data);
  return join(dir, name);
}

const drawn = (data: Buffer, protocol: 'kitty' | 'iterm2') => drawnImage(file('image', data), protocol, BOX);

it('kitty: chunks of 4,096 characters, of which the first says what it is; no answer, no moved cursor', () => {
  const noise = Buffer.from(Array.from({ length: 9000 }, (_, index) => (index * 7919) % 251));
  const end = chunk('IEND', Buffer.alloc(0));
  const image = Buffer.concat([png(300, 200).subarray(0, -end.length), chunk('noIS', noise), end]);
  const { sequence = '', ...cells } = drawn(image, 'kitty') ?? {};
  expect(cells).toEqual({ rows: 10, columns: 30 });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what this is about
  const parts = [...sequence.matchAll(/\u001b_G([^;]*);([A-Za-z0-9+/=]*)\u001b\\/g)];
  expect(parts.map(([whole]) => whole).join('')).toBe(sequence);
  expect(parts.map(([, keys]) => keys)).toEqual([
    'a=T,f=100,C=1,r=10,c=30,q=2,m=1',
    ...new Array(parts.length - 2).fill('q=2,m=1'),
    'q=2,m=0',
  ]);
  expect(parts.length).toBeGreaterThan(2);
  expect(parts.slice(0, -1).every(([, , data]) => data?.length === 4096)).toBe(true);
  expect(Buffer.from(parts.map(([, , data]) => data).join(''), 'base64')).toEqual(image);
});

it('iTerm2: one sequence with its size in cells', () => {
  const image = jpeg(640, 480);
  expect(drawn(image, 'iterm2')).toEqual({
    rows: 12,
    columns: 32,
    sequence: `\u001b]1337;File=inline=1;size=${image.length};width=32;height=12;preserveAspectRatio=1;doNotMoveCursor=1:${image.toString('base64')}\u0007`,
  });
  expect(drawn(gif, 'iterm2')).toMatchObject({ rows: 2, columns: 6 });
  expect(drawn(jpeg(640, 480), 'kitty')).toBeUndefined();
  expect(drawn(gif, 'kitty')).toBeUndefined();
});

it.each([
  [1, 1, { rows: 1, columns: 1 }],
  [4000, 40, { rows: 1, columns: 80 }],
  [40, 4000, { rows: 12, columns: 1 }],
  [4000, 4000, { rows: 12, columns: 24 }],
  [2 ** 31, 1, undefined],
  [60_000, 60_000, undefined],
  [0, 10, undefined],
])('%i x %i pixels', (width, height, cells) => {
  const image = png(8, 8);
  image.writeUInt32BE(width, 16);
  image.writeUInt32BE(height, 20);
  const { sequence: _, ...size } = drawn(image, 'kitty') ?? {};
  expect(size).toEqual(cells ?? {});
});

it('what stands behind an image is not passed on', () => {
  const image = png(30, 20);
  const evil = Buffer.from('\u001b\\\u001b]0;owned\u0007');
  expect(drawn(Buffer.concat([image, evil]), 'kitty')).toEqual(drawn(image, 'kitty'));
  expect(imageFacts(Buffer.concat([jpeg(8, 8), evil]))?.data).toEqual(jpeg(8, 8));
});

const whole = png(30, 20);
it.each([
  ['nothing', Buffer.alloc(0)],
  ['a claim', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
  ['another first part', Buffer.concat([whole.subarray(0, 8), chunk('IEND', Buffer.alloc(13)), whole])],
  ['a program', Buffer.from(`#!/bin/sh\n${'#'.repeat(100)}`)],
  ['a page', Buffer.from('<svg onload="alert(1)"></svg>'.padEnd(100))],
  ['a WebP', Buffer.from('RIFF\x24\0\0\0WEBPVP8 '.padEnd(64, '\0'), 'latin1')],
  ['a length beyond the end', Buffer.concat([whole.subarray(0, 33), Buffer.from('ffffffff49444154', 'hex')])],
  ['a JPEG without a size', Buffer.from('ffd8ffe00004010200000000ffd9', 'hex')],
  ['a JPEG without an end', jpeg(8, 8).subarray(0, -2)],
  ['a JPEG of empty segments', Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(1_000_000, 0xff)])],
  ['a GIF without an end', gif.subarray(0, -1)],
  [
    'over 2 MB',
    Buffer.concat([whole.subarray(0, 33), chunk('teST', Buffer.alloc(2 ** 21)), whole.subarray(33)]),
  ],
])('not drawn: %s', (_, data) => {
  expect(drawn(data, 'kitty')).toBeUndefined();
  expect(drawn(data, 'iterm2')).toBeUndefined();
});

it('broken off anywhere, no PNG', () => {
  for (let length = 0; length < whole.length; length++)
    expect(imageFacts(whole.subarray(0, length))).toBeUndefined();
});

it('a file that is gone, a folder and a link are not drawn', () => {
  mkdirSync(join(dir, 'folder.png'));
  symlinkSync(file('target.png', whole), join(dir, 'link.png'));
  for (const name of ['gone.png', 'folder.png', 'link.png'])
    expect(drawnImage(join(dir, name), 'kitty', BOX)).toBeUndefined();
  expect(drawnImage(join(dir, 'target.png'), 'kitty', BOX)).toBeDefined();
});
