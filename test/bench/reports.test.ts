import { describe, expect, test } from 'vitest';
import { htmlReport, textReport } from '../../src/bench/bench-output.ts';
import { quantity } from '../../src/bench/quantities.ts';
import { type BenchReport, engineReport } from '../../src/bench/report.ts';

const prompts = [{ promptTokens: 100, firstTokenMs: 500, generatedTokens: 11, decodeMs: 1000 }];
const warm = { version: '1', device: 'cpu', loadMs: 50, prompts, peakBytes: 3e8 };
const rounds = [{ warm, start: { result: warm, startToFirstTokenMs: 300 } }];

const REPORT: BenchReport = {
  version: 1,
  date: '2026-01-01T00:00:00.000Z',
  machine: { processor: 'A <b>CPU</b>', processors: 2, memoryBytes: 8e9, system: 'Linux' },
  versions: { llmHost: '1', mlx: '2', node: '3' },
  model: { name: 'tiny & small', family: 'llama', parameters: 1e6, weightBytes: 4e6 },
  settings: {
    promptTokens: [100],
    generate: 11,
    runs: 1,
    threads: 2,
    startPromptTokens: 40,
    warmUpTokens: 64,
    environment: { LLM_HOST_SIMD: 'avx2' },
  },
  engines: [
    engineReport('llm-host', rounds),
    engineReport('mlx-lm', [{ ...rounds[0], warm: { ...warm, loadMs: 100 } } as (typeof rounds)[0]]),
  ],
  ratios: [{ peer: 'mlx-lm', metric: 'loadMs', at: undefined, min: 0.5, median: 0.5, max: 0.5 }],
  roofline: {
    bandwidth: { min: 1e9, median: 2e9, max: 3e9 },
    threads: 2,
    points: [
      {
        promptTokens: 100,
        contextTokens: 106,
        weightBytes: 4e6,
        kvBytes: 1e6,
        limitTokensPerSecond: 400,
        tokensPerSecond: 100,
        share: 0.25,
      },
    ],
  },
};

describe('the report as text', () => {
  const text = textReport(REPORT);

  test('has a bar for each engine under each figure, as long as its share of the longest', () => {
    expect(text).toMatch(/\nloading\n {2}llm-host █{15} {16}50\.0 .+\n {2}mlx-lm {3}█{30} {1}100 /);
    expect(text).toContain('10.0 / 10.0 / 10.0 tok/s');
  });

  test('says what it was measured with, what memory allows, and the ratios', () => {
    expect(text).toContain('LLM_HOST_SIMD=avx2');
    expect(text).toContain('loading, over mlx-lm: 0.50 / 0.50 / 0.50 (lower is better)');
    expect(text).toContain('1.0 / 2.0 / 3.0 GB/s');
    expect(text).toContain('which allows about 400 tok/s; reached 100, 25 % run by run');
  });
});

test('the report as HTML needs nothing from outside, and its names are text', () => {
  const html = htmlReport(REPORT);
  expect(html).toContain('tiny &#38; small');
  expect(html).not.toContain('<b>CPU');
  expect(html).not.toMatch(/(src|href)=|https?:|@import|url\(/);
  expect(html.match(/<svg/g)).toHaveLength(2 * (REPORT.engines[0]?.figures.length ?? 0));
});

test('quantities are written to three digits, the whole part in full', () => {
  expect(quantity(1234.5, 'tok/s')).toBe('1235 tok/s');
  expect(quantity(12.345, 'ms')).toBe('12.3 ms');
  expect(quantity(12_345, 'ms')).toBe('12.3 s');
  expect(quantity(3e8, 'bytes')).toBe('300 MB');
  expect(quantity(1.234, 'us')).toBe('1.23 µs');
});
