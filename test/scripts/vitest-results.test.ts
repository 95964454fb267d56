import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';

const REPORTER = new URL('../../scripts/lib/test/vitest-results.mjs', import.meta.url).href;

/** A test as vitest reports it: its name, in `describe`s from the outermost. */
function reported(names: readonly string[], state: string, note?: string, errors?: readonly Error[]) {
  let task: object = { type: 'module' };
  for (const name of names) task = { name, parent: task };
  return { ...task, fullName: names.join(' > '), result: () => ({ state, note, errors }) };
}

test('what failed is named, each file has its time, and a skipped test has the reason that it or what is around it names', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'llm-host-results-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  vi.stubEnv('TEST_RESULTS', join(folder, 'results.json'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const tests = [
    reported(['passes (yes)'], 'passed'),
    reported(['outer', 'fails'], 'failed', undefined, [new Error('expected 1\nto be 2')]),
    reported(['hangs'], 'pending'),
    reported(['a (needs zsh)'], 'skipped'),
    reported(['python (needs a Python)', 'inner', 'b'], 'skipped'),
    reported(['python (needs a Python)', 'c (needs more)'], 'skipped'),
    reported(['d (in brackets)'], 'skipped', 'given when it ran'),
    reported(['outer', 'e'], 'skipped'),
  ];
  const suites = [{ fullName: 'hooks', errors: () => [new Error('no folder')] }];
  const children = { allSuites: () => suites, allTests: () => tests };
  const diagnostic = () => ({ duration: 1500 });
  const errors = () => [new Error('no import')];
  const module = { relativeModuleId: 'a.test.ts', errors, children, diagnostic };
  const { default: ResultsReporter } = await import(REPORTER);
  new ResultsReporter().onTestRunEnd([module], [new Error('unhandled')]);
  const { passed, failures, skipped, files } = JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8'));
  expect(passed).toBe(1);
  expect(files).toEqual([{ name: 'a.test.ts', seconds: 1.5 }]);
  expect(failures).toEqual([
    'outside of any test: unhandled',
    'a.test.ts: no import',
    'hooks: no folder',
    'a.test.ts > outer > fails: expected 1',
    'a.test.ts > hangs: the run broke off',
  ]);
  expect(skipped.map(({ reason }: { reason?: string }) => reason)).toEqual([
    'needs zsh',
    'needs a Python',
    'needs more',
    'given when it ran',
    undefined,
  ]);
});
