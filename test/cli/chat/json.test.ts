import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { EventWriter, parseRequest } from '../../../src/cli/chat/json-chat.ts';
import { ROOT } from '../../e2e/program.ts';
import { eventChecker } from './event-checker.ts';

describe('requests on stdin', () => {
  test.each([
    ['{"type":"prompt","text":"hi"}', { type: 'prompt', text: 'hi' }],
    ['{"type":"cancel"}', { type: 'cancel' }],
    ['hi there', { type: 'line', text: 'hi there' }],
    ['/stats', { type: 'line', text: '/stats' }],
    ['{"type":"prompt","text":"quit"}', { type: 'prompt', text: 'quit' }],
    ['   ', undefined],
  ])('%s', (text, request) => {
    expect(parseRequest({ text })).toEqual(request);
  });

  test.each(['{', '{"type":"prompt"}', '{"type":"prompt","text":1}', '{"type":"x"}', '{}'])(
    '%s is refused with the reason',
    text => {
      expect(parseRequest({ text })).toEqual({
        type: 'invalid',
        message: expect.stringMatching(/JSON|type/),
      });
    },
  );

  test('a line that is not UTF-8 is refused', () => {
    expect(parseRequest({ text: 'a\ufffd', notice: 'not UTF-8' })).toEqual({
      type: 'invalid',
      message: 'not UTF-8',
    });
  });
});

test('an event is one line, its type and time first, whatever its text holds', async () => {
  const out = new PassThrough();
  const writer = new EventWriter(out, () => new Date(0));
  await writer.write({ type: 'token', text: 'a\nb\u2028"' });
  const text = String(out.read());
  expect(text).toMatch(/^\{"type":"token","time":"1970-01-01T00:00:00.000Z","text":.*\}\n$/s);
  expect(text.split('\n')).toHaveLength(2);
});

test('a slow reader is waited for', async () => {
  const out = new PassThrough({ highWaterMark: 10 });
  const writer = new EventWriter(out);
  let written = false;
  const writing = writer.write({ type: 'token', text: 'long enough' }).then(() => {
    written = true;
  });
  await new Promise(resolve => setImmediate(resolve));
  expect(written).toBe(false);
  out.resume();
  await writing;
  expect(written).toBe(true);
});

test('every event of the schema is documented, with every field', () => {
  const docs = readFileSync(join(ROOT, 'docs', 'events.md'), 'utf8');
  const schema = JSON.parse(readFileSync(join(ROOT, 'events.schema.json'), 'utf8'));
  for (const [type, event] of Object.entries<{ properties: object }>(schema.$defs)) {
    const section = docs.split(`### \`${type}\`\n`)[1]?.split('\n### ')[0] ?? '';
    for (const field of Object.keys(event.properties)) {
      if (field !== 'type' && field !== 'time') expect(section, type).toContain(`| \`${field}\``);
    }
  }
});

test('the schema refuses an unknown type and a missing field', () => {
  const check = eventChecker();
  expect(check({ type: 'token', time: '2026-01-01T00:00:00Z', text: 'x' })).toBe('');
  expect(check({ type: 'token', time: '2026-01-01T00:00:00Z' })).not.toBe('');
  expect(check({ type: 'other', time: '2026-01-01T00:00:00Z' })).not.toBe('');
});
