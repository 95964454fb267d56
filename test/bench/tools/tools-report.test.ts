import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { askCases, Journal } from '../../../src/bench/tools/ask-cases.ts';
import { chooseCases } from '../../../src/bench/tools/folder-cases.ts';
import { type Answer, MODES, type ToolCase } from '../../../src/bench/tools/tool-case.ts';
import { toolsHtml, toolsText } from '../../../src/bench/tools/tools-output.ts';
import { scored, shareOf, type ToolsReport } from '../../../src/bench/tools/tools-report.ts';

const many = (category: string, count: number): ToolCase[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `${category}_${index}`,
    category,
    messages: [],
    tools: [],
    expected: { kind: 'none' },
  }));

const answerTo = (id: string, more: Partial<Answer> = {}): Answer => ({
  id,
  pass: 'open',
  calls: [],
  replies: 1,
  text: 'No.',
  promptTokens: 100,
  firstTokens: 10,
  generatedTokens: 10,
  firstSeconds: 1,
  seconds: 1,
  ...more,
});

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'llm-host-journal-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

describe('confidence intervals', () => {
  // Figures of Newcombe (1998), table I.
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
    [29, 29, 0.883, 1],
    [0, 0, 0, 1],
  ])('%i of %i: %f to %f', (right, of, low, high) => {
    const found = shareOf(right, of);
    expect(found.low).toBeCloseTo(low, 4);
    expect(found.high).toBeCloseTo(high, 4);
  });
});

describe('the sample', () => {
  const cases = [...many('a', 200), ...many('b', 10)];

  test('is the same each time, of so many of each category, in their order', () => {
    const chosen = chooseCases(cases, { perCategory: 25 });
    expect(chooseCases([...cases].reverse(), { perCategory: 25 }).reverse()).toEqual(chosen);
    expect(chosen.filter(one => one.category === 'a')).toHaveLength(25);
    expect(chosen.filter(one => one.category === 'b')).toHaveLength(10);
    expect(cases.filter(one => chosen.includes(one))).toEqual(chosen);
  });

  test('is all of them on request; halves have nothing in common', () => {
    expect(chooseCases(cases, { perCategory: undefined })).toEqual(cases);
    const half = (name: 'a' | 'b') => chooseCases(cases, { perCategory: undefined, half: name });
    const [a, b] = [half('a'), half('b')];
    expect(a.length + b.length).toBe(210);
    expect(a.filter(one => b.includes(one))).toEqual([]);
    expect(Math.abs(a.length - b.length)).toBeLessThan(40);
  });
});

describe('asking', () => {
  const cases = many('a', 4);
  const asking = (path: string, more: Partial<Parameters<typeof askCases>[0]> = {}) => {
    const asked: string[] = [];
    const problems: string[] = [];
    const run = askCases({
      cases,
      modes: ['repair', 'held'],
      signal: new AbortController().signal,
      onProgress: () => undefined,
      journal: new Journal(path, false, problem => problems.push(problem)),
      answer: async ({ id }, pass) => {
        asked.push(`${pass} ${id}`);
        return answerTo(id, { pass });
      },
      ...more,
    });
    return { run, asked, problems };
  };

  test('a second run asks only what the first did not answer, one line cut off included', async () => {
    const path = join(folder(), 'deep', 'journal.jsonl');
    const stop = new AbortController();
    const first = asking(path, {
      signal: stop.signal,
      answer: async ({ id }, pass) => {
        if (id === 'a_2') stop.abort();
        return answerTo(id, { pass });
      },
    });
    // The one that was broken off does not count.
    expect(await first.run).toHaveLength(2);
    writeFileSync(path, readFileSync(path, 'utf8').slice(0, -20));
    const seen: number[][] = [];
    const second = asking(path, { onProgress: (...numbers) => seen.push(numbers) });
    expect(await second.run).toHaveLength(8);
    expect(second.asked).toEqual([
      'open a_1',
      'open a_2',
      'open a_3',
      'held a_0',
      'held a_1',
      'held a_2',
      'held a_3',
    ]);
    expect([seen[0], seen.at(-1)]).toEqual([
      [1, 8, 1],
      [8, 8, 1],
    ]);
    const third = asking(path);
    expect([(await third.run).length, third.asked, third.problems]).toEqual([8, [], []]);
    expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(8);
  });

  test('a run forgets what was answered on request', async () => {
    const path = join(folder(), 'journal.jsonl');
    await asking(path).run;
    expect(new Journal(path, true, () => undefined).find('a_0', 'open')).toBeUndefined();
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  test('goes on where the disk takes nothing more, which is told once', async () => {
    const path = join(folder(), 'journal.jsonl');
    const { run, problems } = asking(path, {
      answer: async ({ id }, pass) => {
        // A link to a device that is always full, in place of the file.
        if (id === 'a_1' && pass === 'open') {
          rmSync(path);
          symlinkSync('/dev/full', path);
        }
        return answerTo(id, { pass });
      },
    });
    expect(await run).toHaveLength(8);
    const told = process.platform === 'linux' ? 'ENOSPC' : 'cannot be written';
    expect(problems).toEqual([expect.stringContaining(told)]);
  });

  test('goes on where a folder has taken the place of its file, which is told once', async () => {
    const path = join(folder(), 'journal.jsonl');
    mkdirSync(path);
    const { run, problems } = asking(path);
    expect(await run).toHaveLength(8);
    expect(problems).toEqual([expect.stringContaining('Answers are not kept for another run')]);
  });

  test('a failure of the model ends it; what was answered is kept', async () => {
    const path = join(folder(), 'journal.jsonl');
    const { run } = asking(path, {
      answer: async ({ id }) => {
        if (id === 'a_1') throw new Error('out of memory');
        return answerTo(id);
      },
    });
    await expect(run).rejects.toThrow('out of memory');
    expect(new Journal(path, false, () => undefined).find('a_0', 'open')).toMatchObject({ id: 'a_0' });
  });
});

describe('the report', () => {
  const cases: ToolCase[] = [
    ...many('quiet', 4),
    ...many('loud', 1).map(one => ({ ...one, expected: { kind: 'some' } as const })),
  ];
  const call = [{ name: 'f', arguments: {} }];
  const answers = [
    answerTo('quiet_0'),
    answerTo('quiet_1', { calls: call }),
    answerTo('quiet_2', { error: 'CONTEXT_FULL' }),
    // Right only after its call was written again.
    answerTo('loud_0', { calls: call, replies: 2, generatedTokens: 30, seconds: 3 }),
    answerTo('loud_0', { pass: 'held', calls: call }),
  ];
  const figures = scored({ cases, answers, modes: MODES });
  const report: ToolsReport = {
    version: 1,
    date: '2026-01-01T00:00:00.000Z',
    benchmark: 'My <questions>',
    machine: { processor: 'A CPU', processors: 2, memoryBytes: 8e9, system: 'Linux' },
    versions: { llmHost: '1', mlx: '2', node: '3' },
    model: { name: 'tiny & small', family: 'llama', parameters: 1e6 },
    settings: {
      modes: MODES,
      perCategory: 25,
      half: 'a',
      maxTokens: 512,
      environment: { LLM_HOST_SIMD: 'avx2' },
    },
    ...figures,
  };

  test('counts each mode: without repair a call that had to be written again is none', () => {
    const [quiet, loud] = figures.categories;
    expect(quiet).toMatchObject({
      category: 'quiet',
      cases: 4,
      modes: { free: { right: 1, asked: 3 }, held: { asked: 0 } },
    });
    expect(loud?.modes.free).toMatchObject({
      right: 0,
      faults: { 'no call': 1 },
      generatedTokens: 10,
      seconds: 1,
    });
    expect(loud?.modes.repair).toMatchObject({
      right: 1,
      firstAttempt: 0,
      faults: {},
      generatedTokens: 30,
      seconds: 3,
    });
    expect(loud?.modes.held).toMatchObject({ right: 1, firstAttempt: 1 });
    expect(figures.total.modes.repair).toMatchObject({
      right: 2,
      asked: 4,
      share: 0.5,
      faults: { 'needless call': 1 },
    });
    expect(figures.results.find(({ id }) => id === 'quiet_2')).toMatchObject({
      right: false,
      error: 'CONTEXT_FULL',
    });
  });

  test('as text has a line for each category, costs and faults', () => {
    const text = toolsText(report);
    expect(text).toContain(
      'My <questions>: 4 of 5 questions, at most 25 of each category, half a; temperature 0, at most 512 tokens; LLM_HOST_SIMD=avx2',
    );
    expect(text).toMatch(/^ {2}quiet +3 +33 % \(6 to 79\) +33 % \(6 to 79\) +0 % \(0 to 100\)$/m);
    expect(text).toMatch(/^ {2}all +4 /m);
    expect(text).toMatch(/^ {2}with repair +25 % +100 +15 +1\.50$/m);
    expect(text).toContain('  first reply: needless call 1, no call 1');
  });

  test('as HTML escapes names and draws a bar for each category and mode', () => {
    const html = toolsHtml(report);
    expect(html).toContain('tiny &#38; small');
    expect(html).not.toContain('<questions>');
    expect(html.match(/<svg /g)).toHaveLength(9);
  });
});
