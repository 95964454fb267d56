import { expect, test } from 'vitest';
import { fromWire, readOrder, readReport, toWire } from '../../../src/distributed/link/messages.ts';
import type { NativeRequest } from '../../../src/native/addon-types.ts';

const LOADING = { contextLength: 64, exact: true, cacheBytes: 0, parallel: 1 };
const COMPARE = { type: 'compare', model: 'm', machines: 2, loading: LOADING };
const LOAD = { type: 'load', ring: ['10.0.0.1:9000', '10.0.0.2:9000'], rank: 1, limitMs: 1000 };
const REQUEST = { promptIds: [1], stopIds: [], logitBiasIds: [], logitBias: [], checkpoints: [] };
const FACTS = { weights: 'a', tokenizer: 'b', template: 'c', adapters: 'd', numbers: 'e' };

test.each([COMPARE, LOAD, { type: 'run', request: REQUEST }, { type: 'ping' }, { type: 'close' }])(
  'an order: $type',
  order => expect(readOrder(order)).toEqual(order),
);

test.each<[string, unknown, RegExp]>([
  ['nothing', null, /expected object/i],
  ['a list', [], /expected object/i],
  ['an unknown kind', { type: 'erase' }, /type:/],
  ['no kind', {}, /type:/],
  ['a report', { type: 'closed' }, /type:/],
  ['more than the protocol has', { type: 'ping', twice: true }, /twice/],
  ['fewer than no machines', { ...COMPARE, machines: -1 }, /machines/],
  ['half a machine', { ...COMPARE, machines: 1.5 }, /machines/],
  ['more machines than a ring has', { ...COMPARE, machines: 65 }, /machines/],
  ['a path without end', { ...COMPARE, model: 'x'.repeat(5000) }, /model/],
  ['bits that there are not', { ...COMPARE, loading: { ...LOADING, kvBits: 5 } }, /loading\.kvBits/],
  ['a context below zero', { ...COMPARE, loading: { ...LOADING, contextLength: -1 } }, /contextLength/],
  [
    'a number that is none',
    { ...COMPARE, loading: { ...LOADING, cacheBytes: Number.POSITIVE_INFINITY } },
    /cacheBytes/,
  ],
  ['nobody at once', { ...COMPARE, loading: { ...LOADING, parallel: 0 } }, /parallel/],
  ['adapters without end', { ...COMPARE, loading: { ...LOADING, adapter: Array(65).fill('a') } }, /adapter/],
  ['a ring of one', { ...LOAD, ring: ['10.0.0.1:9000'] }, /ring/],
  ['a rank outside of the ring', { ...LOAD, rank: 2 }, /rank/],
  ['the rank of the first machine', { ...LOAD, rank: 0 }, /rank/],
  ['an address that is none', { ...LOAD, ring: ['10.0.0.1:9000', 'me@there'] }, /ring\.1/],
  ['a limit of days', { ...LOAD, limitMs: 1e12 }, /limitMs/],
  ['ids that are no numbers', { type: 'run', request: { ...REQUEST, promptIds: ['1'] } }, /promptIds\.0/],
  ['ids beyond 32 bits', { type: 'run', request: { ...REQUEST, promptIds: [2 ** 31] } }, /promptIds\.0/],
  ['a mask that is no base64', { type: 'run', request: { ...REQUEST, allowedFirst: '%' } }, /allowedFirst/],
])('no order: %s', (_, value, why) => {
  expect(() => readOrder(value)).toThrow(why);
  expect(() => readOrder(value)).toThrow('a message that is none of this protocol');
});

test.each([
  { type: 'hello', protocol: 9, version: '9', mlx: '9', more: 'of a later version' },
  { type: 'compared', facts: FACTS },
  { type: 'loaded', weightBytes: 1 },
  { type: 'closed' },
  { type: 'pong', sums: 1, waits: false, bytes: 64 },
  { type: 'failed', code: 'ENGINE', message: 'm' },
])('a report: $type', report => expect(readReport(report)).toEqual(report));

test.each<[string, unknown, RegExp]>([
  ['an order', { type: 'ping' }, /type:/],
  ['facts that lack one', { type: 'compared', facts: { ...FACTS, numbers: undefined } }, /facts\.numbers/],
  ['sums without a number', { type: 'pong', sums: null, waits: true, bytes: 0 }, /sums/],
  ['bytes below zero', { type: 'loaded', weightBytes: -1 }, /weightBytes/],
  ['an error without words', { type: 'failed', code: 'ENGINE' }, /message/],
  ['a book instead of an error', { type: 'failed', code: 'ENGINE', message: 'x'.repeat(70_000) }, /message/],
])('no report: %s', (_, value, why) => expect(() => readReport(value)).toThrow(why));

test('a code that no version of this program has is an error of the engine', () => {
  expect(readReport({ type: 'failed', code: 'ROOT', message: 'm' })).toMatchObject({ code: 'ENGINE' });
});

test('a message that says too much is not repeated in full', () => {
  const error = (() => {
    try {
      readOrder({ type: 'ping', ['\u001b[2J'.repeat(20_000)]: 1 });
    } catch (thrown) {
      return thrown as Error;
    }
  })();
  expect(error?.message.length).toBeLessThan(400);
  expect(error?.message).not.toContain('\u001b');
});

test('a request is the same behind the wire', () => {
  const request = {
    promptIds: Int32Array.of(1, 2),
    stopIds: Int32Array.of(3),
    checkpoints: Int32Array.of(1),
    logitBiasIds: Int32Array.of(4),
    logitBias: Float32Array.of(-0.1),
    allowedFirst: Uint8Array.of(255, 0),
    temperature: 0.7,
    maxTokens: 5,
  } as unknown as NativeRequest;
  const order = readOrder(JSON.parse(JSON.stringify({ type: 'run', request: toWire(request) })));
  expect(fromWire((order as { request: Parameters<typeof fromWire>[0] }).request)).toEqual(request);
});
