import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { metricsFile, ToolMetrics } from '../../../src/agent/calls/metrics.ts';
import { tempFolder } from '../../model/temp-folder.ts';

/** One call that was right at once, one after a retry, one that was given up. */
function threeCalls(metrics: ToolMetrics): void {
  metrics.attempt('add', 'ok', 0, ['types']);
  metrics.attempt('ad', 'wrong_tool', 0);
  metrics.attempt('add', 'ok', 1);
  for (const attempt of [0, 1, 2]) metrics.attempt('', 'malformed_json', attempt);
  metrics.gaveUp();
  metrics.tokens(30);
  metrics.tokens(12);
}

describe('how well a model calls tools', () => {
  test('is counted by calls, not by attempts', () => {
    const metrics = new ToolMetrics('tiny');
    expect(metrics.text()).toBe('Tool calls: none');
    threeCalls(metrics);
    expect(metrics.summary()).toEqual({
      calls: 3,
      firstAttempt: 1,
      afterRetry: 1,
      failed: 1,
      retries: 3,
      generatedTokens: 42,
      errors: { wrong_tool: 1, malformed_json: 3 },
      repairs: { types: 1 },
    });
    expect(metrics.text()).toBe(
      'Tool calls: 3, 1 right at the first attempt (33 %), 1 after a retry, 1 given up, 3 retries\n' +
        'Errors: wrong_tool 1, malformed_json 3; repairs: types 1',
    );
  });

  test('is a line of JSON for each attempt in a file, behind those of earlier sessions', () => {
    const path = join(tempFolder(), 'figures', 'calls.jsonl');
    const problems: string[] = [];
    for (const model of ['tiny', 'other']) {
      threeCalls(
        new ToolMetrics(
          model,
          metricsFile(path, message => problems.push(message)),
        ),
      );
    }
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    const records = lines.map(line => JSON.parse(line) as Record<string, unknown>);
    expect(records).toHaveLength(12);
    expect(records[0]).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      model: 'tiny',
      tool: 'add',
      label: 'ok',
      attempt: 0,
      repairs: ['types'],
    });
    expect(records.map(({ model }) => model)).toEqual([...Array(6).fill('tiny'), ...Array(6).fill('other')]);
    expect(problems).toEqual([]);
  });

  test('a file that cannot be written is told once', () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, 'folder'));
    for (const path of [join(folder, 'file', 'calls.jsonl'), join(folder, 'folder')]) {
      const problems: string[] = [];
      threeCalls(
        new ToolMetrics(
          'tiny',
          metricsFile(path, message => problems.push(message)),
        ),
      );
      expect(problems).toEqual([expect.stringContaining(`Cannot write the metrics file ${path}: `)]);
    }
  });
});
