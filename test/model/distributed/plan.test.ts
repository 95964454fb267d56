import { describe, expect, test } from 'vitest';
import type { Hosts, Link } from '../../../src/model/distributed/hosts.ts';
import type { ModelParts } from '../../../src/model/distributed/model-parts.ts';
import { planHosts } from '../../../src/model/distributed/plan.ts';
import { layerCounts, pipelineShares, tensorShares } from '../../../src/model/distributed/shares.ts';
import { pipelineWire, tensorWire } from '../../../src/model/distributed/wire.ts';

const bytes = (held: number, read = held) => ({ held, read });
const LAYER = { divided: bytes(1e9), whole: bytes(1e6) };

/** 40 layers of 1 GB, an embedding and a head of half a GB each. */
const PARTS: ModelParts = {
  layers: Array(40).fill(LAYER),
  ends: bytes(1e9, 0.5e9),
  embeddingBytes: 0.5e9,
  kvBytes: 4e9,
  workingBytes: (machines, first) => 0.2e9 + 0.1e9 / machines + (first ? 0.05e9 : 0),
  activationBytes: 16384,
};
const LINK: Link = { bytesPerSecond: 10e9, latency: 7e-6, mesh: false };

function machines(count: number, { gigabytes = 96, bandwidth = 500e9 } = {}, link = LINK): Hosts {
  const hosts = Array.from({ length: count }, (_, index) => ({
    name: `m${index}`,
    address: `10.0.0.${index}:9000`,
    memoryBytes: gigabytes * 1e9,
    bytesPerSecond: bandwidth,
  }));
  return { hosts, link };
}

describe('shares', () => {
  const total = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  const divided = 40e9;
  const whole = 1e9 + 40e6;

  test.each([1, 2, 3, 5, 8])('of %i machines make the whole model', count => {
    const { hosts } = machines(count);
    const tensor = tensorShares(PARTS, hosts);
    expect(total(tensor.map(({ weightBytes }) => weightBytes))).toBeCloseTo(divided + count * whole, 0);
    const pipeline = pipelineShares(PARTS, hosts);
    expect(total(pipeline.map(({ weightBytes }) => weightBytes))).toBeCloseTo(divided + whole, 0);
    for (const shares of [tensor, pipeline]) {
      expect(total(shares.map(({ kvBytes }) => kvBytes))).toBeCloseTo(PARTS.kvBytes, 0);
      for (const [index, { totalBytes, weightBytes, kvBytes }] of shares.entries()) {
        const working = PARTS.workingBytes(shares === tensor ? count : 1, index === 0);
        expect(totalBytes).toBe(weightBytes + kvBytes + working);
      }
    }
    expect(
      pipeline.flatMap(({ firstLayer, layers }) => Array.from({ length: layers }, (_, i) => firstLayer + i)),
    ).toEqual(PARTS.layers.map((_, index) => index));
  });

  test('a tied embedding is at both ends', () => {
    const tied = { ...PARTS, ends: bytes(0.5e9) };
    const [first, last] = pipelineShares(tied, machines(2).hosts);
    expect(first?.weightBytes).toBe(last?.weightBytes);
    expect(first?.seconds).toBeLessThan(last?.seconds as number);
  });

  test.each([
    [40, [1, 1], [20, 20]],
    [40, [3, 1], [30, 10]],
    [7, [1, 1, 1], [3, 2, 2]],
    [2, [1, 1, 1], [1, 1, 0]],
    [10, [96, 96, 0.5], [5, 5, 0]],
  ])('%i layers over memories %j: %j', (layers, memories, counts) => {
    expect(layerCounts(layers, memories)).toEqual(counts);
  });
});

describe('what goes over the wire for a token', () => {
  const seconds = (count: number, mesh: boolean) => tensorWire({ ...LINK, mesh }, count, 40, 16384).seconds;

  test('nothing on one machine', () => {
    expect(tensorWire(LINK, 1, 40, 16384)).toEqual({ messages: 0, bytes: 0, seconds: 0, latencySeconds: 0 });
    expect(pipelineWire(LINK, 1, 16384)).toEqual({ messages: 0, bytes: 0, seconds: 0, latencySeconds: 0 });
  });

  test('in a ring of n, 2 (n - 1) steps of an n-th of the activations for each of two sums a layer, and two small ones', () => {
    const { messages, bytes: sent } = tensorWire(LINK, 4, 40, 16384);
    expect(messages).toBe(82);
    // Each of 4 machines: 80 sums of 6 steps of 4096 bytes, and two of 16 and of 4 bytes.
    expect(sent).toBe(4 * 6 * (80 * 4096 + 16 + 4));
    expect(seconds(4, false)).toBeCloseTo(6 * (82 * 7e-6 + (80 * 4096 + 20) / 10e9), 9);
  });

  test('in a mesh, all to every other one at once', () => {
    expect(tensorWire({ ...LINK, mesh: true }, 4, 40, 16384).bytes).toBe(4 * 3 * (80 * 16384 + 80));
    expect(seconds(4, true)).toBeCloseTo(82 * 7e-6 + (80 * 16384 + 80) / 10e9, 9);
    expect(seconds(4, true)).toBeLessThan(seconds(4, false));
  });

  test('in a pipeline, the activations from each to the next and an id back', () => {
    expect(pipelineWire(LINK, 4, 16384)).toMatchObject({ messages: 4, bytes: 3 * 16384 + 4 });
  });
});

describe('the plan', () => {
  const speed = (hosts: Hosts, parts = PARTS) => planHosts(parts, hosts, undefined).tokensPerSecond;

  test('one machine has the roofline: bandwidth over what a token reads', () => {
    const plan = planHosts(PARTS, machines(1), undefined);
    expect(plan.tokensPerSecond).toBeCloseTo(500e9 / (40 * 1.001e9 + 0.5e9), 6);
    expect(plan).toMatchObject({ wire: { bytes: 0 }, other: undefined, advice: [] });
  });

  test('more of anything is never slower', () => {
    const steps = [1, 2, 5, 20];
    const sorted = (speeds: number[]) => expect(speeds).toEqual([...speeds].sort((a, b) => a - b));
    for (const count of [2, 4, 8]) {
      sorted(steps.map(more => speed(machines(count, { bandwidth: 50e9 * more }))));
      for (const mesh of [false, true]) {
        sorted(
          steps.map(more => speed(machines(count, {}, { ...LINK, mesh, bytesPerSecond: 0.1e9 * more }))),
        );
        sorted(steps.map(less => speed(machines(count, {}, { ...LINK, mesh, latency: 1e-3 / less }))));
      }
    }
    const endless = { ...LINK, bytesPerSecond: Number.POSITIVE_INFINITY, latency: 0 };
    sorted([1, 2, 4, 8].map(count => speed(machines(count, {}, endless))));
  });

  test('a machine that is slower than the others holds them up', () => {
    const { hosts, link } = machines(2);
    const uneven = { hosts: [hosts[0], { ...hosts[1], bytesPerSecond: 100e9 }], link } as Hosts;
    expect(speed(uneven)).toBeLessThan(speed(machines(2)));
  });

  test('the faster way to divide is taken', () => {
    expect(planHosts(PARTS, machines(4), undefined)).toMatchObject({
      split: 'tensor',
      other: { split: 'pipeline' },
    });
    const slow = machines(4, {}, { ...LINK, latency: 1e-3 });
    expect(planHosts(PARTS, slow, undefined)).toMatchObject({
      split: 'pipeline',
      other: { split: 'tensor' },
    });
  });

  test('where heads do not divide, layers do', () => {
    const plan = planHosts(PARTS, machines(3), 'num_attention_heads (32) is no multiple of 3');
    expect(plan).toMatchObject({ split: 'pipeline', other: undefined, indivisible: expect.any(String) });
  });

  test('the way that fits is taken, if the other does not', () => {
    // Each has its own copy of what is not divided.
    const parts = { ...PARTS, ends: bytes(30e9, 15e9), embeddingBytes: 15e9 };
    const plan = planHosts(parts, machines(2, { gigabytes: 50 }), undefined);
    expect(plan).toMatchObject({ split: 'pipeline', fits: true, other: { split: 'tensor', fits: false } });
  });
});

describe('advice', () => {
  const advice = (hosts: Hosts) => planHosts(PARTS, hosts, undefined).advice.join(' ');
  const slow = { ...LINK, latency: 2e-3 };

  test.each([
    [
      'one machine would do',
      machines(2, {}, slow),
      /^It does not pay: m0 holds the model by itself, at 12 tok/,
    ],
    ['it is faster', machines(4), /^It pays: 3\.\d times the 12 tok\/s of m0 by itself\.$/],
    [
      'no machine holds it',
      machines(2, { gigabytes: 30 }),
      /^It pays: no machine holds the model by itself\.$/,
    ],
    [
      'it does not fit',
      machines(2, { gigabytes: 20 }),
      /^It does not fit: m0 would need 2\d\.\d\d GB and has 20\.00 GB\. It does not fit: m1/,
    ],
    [
      'latency holds it up',
      machines(8, { bandwidth: 5e12 }, { ...LINK, latency: 3e-6 }),
      /[5-9]\d % of each token is the connection: less latency/,
    ],
    [
      'the cable holds it up',
      machines(8, { bandwidth: 5e12 }, { ...LINK, latency: 1e-9, bytesPerSecond: 0.75e9 }),
      /% of each token is the connection: more bandwidth/,
    ],
  ])('%s', (_, hosts, said) => {
    expect(advice(hosts)).toMatch(said);
  });
});
