import { describe, expect, test } from 'vitest';
import { readBandwidth } from '../../src/bench/machine-memory.ts';
import { engineReport } from '../../src/bench/report.ts';
import { rooflinePoints } from '../../src/bench/roofline.ts';
import { MODELS } from '../model/model-files.ts';
import { readNamed } from '../model/read-named.ts';

describe('what memory allows', () => {
  // Keys and values of float32; the fast kernels' have half of it.
  const read = readNamed('tiny-f32', { contextLength: 0, cwd: MODELS, env: {}, exact: true });
  const prompts = [{ promptTokens: 100, firstTokenMs: 10, generatedTokens: 21, decodeMs: 2000 }];
  const warm = { version: '1', device: 'cpu', loadMs: 1, prompts, peakBytes: 1 };
  const start = { result: warm, startToFirstTokenMs: 1 };
  const faster = { ...warm, prompts: prompts.map(prompt => ({ ...prompt, decodeMs: 1000 })) };
  const own = engineReport('llm-host', [
    { warm, start },
    { warm: faster, start },
    { warm, start },
  ]);
  const input = { read, weightBytes: 50_000, generate: 21, kvBits: 0, bandwidths: [1e6, 3e6, 2e6] };

  test('is the best bandwidth over the weights and the keys and values of the context', () => {
    // Keys and values of 2 layers with 1 head of 16 numbers of 4 bytes; the context reaches the middle of the reply.
    const kvBytes = 2 * 2 * 16 * 4 * 111;
    const limit = 3e6 / (50_000 + kvBytes);
    const [point, ...more] = rooflinePoints(own, input);
    expect(more).toEqual([]);
    expect(point).toMatchObject({ promptTokens: 100, contextTokens: 111, weightBytes: 50_000, kvBytes });
    expect(point?.limitTokensPerSecond).toBeCloseTo(limit);
    expect(point?.tokensPerSecond).toBeCloseTo(10);
    // 10 of 1e6, 20 of 3e6 and 10 of 2e6 bytes a second: the last is between the others.
    expect(point?.share).toBeCloseTo((20 * (50_000 + kvBytes)) / 3e6);
  });

  test('quantized keys and values are fewer bytes', () => {
    const [full] = rooflinePoints(own, input);
    const [quantized] = rooflinePoints(own, { ...input, kvBits: 8 });
    // 8 bits and a float32 scale and bias for each 32.
    expect(quantized?.kvBytes).toBe((full?.kvBytes ?? 0) * ((8 + 2) / 32));
  });
});

test.each([
  [1, 100e6],
  [2, 100e6],
  [2, 1000],
])('reading memory by %i threads, %i bytes again and again, has a rate', async (threads, bytes) => {
  expect(await readBandwidth(threads, bytes)).toBeGreaterThan(1e8);
});
