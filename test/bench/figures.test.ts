import { describe, expect, test } from 'vitest';
import { mapSpread, spreadOf } from '../../src/bench/quantities.ts';
import { randomIds } from '../../src/bench/random-prompts.ts';
import { engineReport, type Round, ratiosOf } from '../../src/bench/report.ts';

function round(firstTokenMs: number, decodeMs: number, peakBytes: number, generatedTokens = 11): Round {
  const prompts = [{ promptTokens: 100, firstTokenMs, generatedTokens, decodeMs }];
  const warm = { version: '1', device: 'cpu', loadMs: 50, prompts, peakBytes };
  const short = [{ promptTokens: 40, firstTokenMs: 5, generatedTokens: 1, decodeMs: 0 }];
  return { warm, start: { result: { ...warm, prompts: short }, startToFirstTokenMs: 300 } };
}

describe('figures of several runs', () => {
  test('minimum, median and maximum of odd and even counts', () => {
    expect(spreadOf([3, 1, 2])).toEqual({ min: 1, median: 2, max: 3 });
    expect(spreadOf([4, 1, 2, 10])).toEqual({ min: 1, median: 3, max: 10 });
    expect(spreadOf([7])).toEqual({ min: 7, median: 7, max: 7 });
    expect(mapSpread(spreadOf([1, 2, 3]), value => value * 2)).toEqual({ min: 2, median: 4, max: 6 });
  });

  test('rates: the prompt up to its first token, generating from the first token to the last', () => {
    const { figures } = engineReport('llm-host', [round(500, 1000, 8), round(250, 2000, 9)]);
    const of = (metric: string) => figures.find(figure => figure.metric === metric);
    expect(of('promptTokensPerSecond')).toMatchObject({ at: 100, values: [200, 400], min: 200, max: 400 });
    expect(of('generationTokensPerSecond')).toMatchObject({ at: 100, values: [10, 5], median: 7.5 });
    expect(of('startToFirstTokenMs')).toMatchObject({ at: 40, values: [300, 300] });
    expect(of('peakBytes')).toMatchObject({ at: undefined, values: [8, 9] });
    expect(of('primitives')).toBeUndefined();
  });

  test('a single generated token has no rate', () => {
    const { figures } = engineReport('x', [round(500, 0, 8, 1)]);
    expect(figures.map(({ metric }) => metric)).not.toContain('generationTokensPerSecond');
  });

  test('second turns and graphs have figures of their own', () => {
    const turn = { historyTokens: 4008, newTokens: 40, cachedTokens: 4007, firstTokenMs: 30 };
    const graph = { primitives: 300, buildMicroseconds: [9, 1, 5], submitMicroseconds: [2] };
    const one = round(1, 1, 1);
    const { figures } = engineReport('x', [{ ...one, warm: { ...one.warm, turns: [turn], graph } }]);
    expect(figures).toContainEqual(
      expect.objectContaining({ metric: 'secondTurnFirstTokenMs', at: 4008, median: 30 }),
    );
    expect(figures).toContainEqual(expect.objectContaining({ metric: 'primitives', median: 300 }));
    expect(figures).toContainEqual(expect.objectContaining({ metric: 'graphMicroseconds', median: 5 }));
  });

  test('ratios are taken round by round, of what both have', () => {
    const own = engineReport('llm-host', [round(100, 1000, 8), round(200, 1000, 8)]);
    const turn = { historyTokens: 1, newTokens: 1, cachedTokens: 0, firstTokenMs: 1 };
    const more = round(100, 1000, 8);
    const withTurn = engineReport('llm-host', [{ ...more, warm: { ...more.warm, turns: [turn] } }]);
    const peer = engineReport('mlx-lm', [round(200, 1000, 4), round(800, 1000, 16)]);
    const speed = ratiosOf(own, peer).find(({ metric }) => metric === 'promptTokensPerSecond');
    expect(speed).toMatchObject({ peer: 'mlx-lm', at: 100, min: 2, median: 3, max: 4 });
    expect(ratiosOf(withTurn, peer).map(({ metric }) => metric)).not.toContain('secondTurnFirstTokenMs');
  });
});

test('random ids stay in the vocabulary, and are the same for the same seed only', () => {
  const ids = randomIds(1000, 96, 7);
  expect(ids).toHaveLength(1000);
  expect(ids.every(id => Number.isInteger(id) && id >= 0 && id < 96)).toBe(true);
  expect(new Set(ids).size).toBeGreaterThan(80);
  expect(randomIds(1000, 96, 7)).toEqual(ids);
  expect(randomIds(1000, 96, 8)).not.toEqual(ids);
});
