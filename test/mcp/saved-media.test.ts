import { existsSync, readFileSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { resultText } from '../../src/mcp/calls/result-text.ts';
import { SavedMedia } from '../../src/mcp/calls/saved-media.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const WAV = Buffer.from('RIFF\x24\0\0\0WAVEfmt ', 'latin1');
const block = (type: string, data: unknown, mimeType: unknown = 'image/png') => ({ type, data, mimeType });

function saved(...content: { type: string }[]) {
  const lines: string[] = [];
  const media = new SavedMedia(line => lines.push(line));
  const text = resultText(media.save({ content }), 1_000_000);
  const paths = [...text.matchAll(/saved as (\S+)\]/g)].map(([, path]) => path as string);
  return { media, text, paths, lines };
}

it('an image and a sound are files of this user, which closing removes', () => {
  const { media, text, paths } = saved(
    block('image', PNG.toString('base64')),
    block('audio', WAV.toString('base64'), 'audio/wav'),
  );
  expect(text).toMatch(
    /^\[image image\/png, 16 bytes, saved as \S+\/1\.png\]\n\[audio audio\/wav, 16 bytes, saved as \S+\/2\.wav\]$/,
  );
  expect(paths.map(path => readFileSync(path))).toEqual([PNG, WAV]);
  if (process.platform !== 'win32') expect(statSync(paths[0] as string).mode & 0o777).toBe(0o600);
  media.close();
  expect(paths.map(path => existsSync(path))).toEqual([false, false]);
  media.close();
});

it('an image that is a resource is a file too, whatever else the resource is', () => {
  const resource = (blob: unknown, mimeType?: string) => ({
    type: 'resource',
    resource: { uri: 'x:1', mimeType, blob },
  });
  const { media, text, paths } = saved(
    resource(PNG.toString('base64'), 'image/png'),
    resource(Buffer.from('words').toString('base64'), 'text/plain'),
    resource(7),
    { type: 'resource', resource: null } as never,
    { type: 'resource' },
  );
  expect(text).toMatch(
    /^\[resource x:1, image\/png, 16 bytes, saved as \S+\/1\.png\]\n\[resource x:1, text\/plain\]\nwords\n\[resource x:1, 0 bytes\]\n/,
  );
  expect(paths.map(path => readFileSync(path))).toEqual([PNG]);
  media.close();
});

it('a wrong type does not name the file', () => {
  const { media, paths } = saved(block('image', PNG.toString('base64'), '../../evil.sh'));
  expect(paths).toEqual([expect.stringMatching(/\/llm-host-media-\w+\/1\.png$/)]);
  media.close();
});

it.each([
  ['no text', 7],
  ['nothing', undefined],
  ['a program', Buffer.from('#!/bin/sh\nrm -rf /').toString('base64')],
  ['a page', Buffer.from('<svg onload="alert(1)">').toString('base64')],
  ['no base64', '!!!!'],
])('data that are %s stay a note', (_, data) => {
  const { media, text, paths } = saved(block('image', data));
  expect(paths).toEqual([]);
  expect(text).toMatch(/^\[image image\/png, [\d.]+ (?:bytes|kB)\]$/);
  media.close();
});

it('100 MB are not decoded', () => {
  const { media, paths } = saved(block('image', `iVBORw0KGgo${'A'.repeat(100 * 1024 * 1024)}`));
  expect(paths).toEqual([]);
  media.close();
});

it('200 files at most, and none after closing', () => {
  const image = block('image', PNG.toString('base64'));
  const { media, paths } = saved(...Array.from({ length: 205 }, () => image));
  expect(paths).toHaveLength(200);
  media.close();
  expect(resultText(media.save({ content: [image] }), 1000)).not.toContain('saved as');
});

it('a server cannot claim a path', () => {
  const { text } = saved({ ...block('image', ''), saved: '/etc/passwd', savedAs: '/etc/passwd' } as {
    type: string;
  });
  expect(text).toBe('[image image/png, 0 bytes]');
});
