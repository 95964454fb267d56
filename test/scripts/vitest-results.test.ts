import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';

const module = new URL('../../scripts/lib/vitest-results.mjs', import.meta.url).href;

/** A test as vitest reports it: its name, in `describe`s from the outermost. */
function reported(names: readonly string[], state: string, note?: string) {
  let task: object = { type: 'module' };
  for (const name of names) task = { name, parent: task };
  return { ...task, fullName: names.join(' > '), result: () => ({ state, note }) };
}

test('a skipped test has the reason that it or what is around it names', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'llm-host-results-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  vi.stubEnv('TEST_RESULTS', join(folder, 'results.json'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const tests = [
    reported(['passes (yes)'], 'passed'),
    reported(['fails'], 'failed'),
    reported(['a (needs zsh)'], 'skipped'),
    reported(['python (needs a Python)', 'inner', 'b'], 'skipped'),
    reported(['python (needs a Python)', 'c (needs more)'], 'skipped'),
    reported(['d (in brackets)'], 'skipped', 'given when it ran'),
    reported(['outer', 'e'], 'skipped'),
  ];
  const children = { allSuites: () => [], allTests: () => tests };
  const { default: ResultsReporter } = await import(module);
  new ResultsReporter().onTestRunEnd([{ errors: () => [], children }], []);
  const { passed, failed, skipped } = JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8'));
  expect([passed, failed]).toEqual([1, 1]);
  expect(skipped.map(({ reason }: { reason?: string }) => reason)).toEqual([
    'needs zsh',
    'needs a Python',
    'needs more',
    'given when it ran',
    undefined,
  ]);
});
