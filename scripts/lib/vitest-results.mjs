import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * A vitest reporter that writes the counts, and each skipped test with its reason, to $TEST_RESULTS. The reason is what
 * was passed to `ctx.skip` (missing in vitest's own JSON), or the text in brackets at the end of the name of the test or
 * its nearest `describe`. vitest requires a default export.
 */
export default class ResultsReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const results = { passed: 0, failed: unhandledErrors.length, skipped: [] };
    for (const module of modules) {
      // A module or hook that throws does not count as a failed test.
      results.failed += module.errors().length;
      for (const suite of module.children.allSuites()) results.failed += suite.errors().length;
      for (const test of module.children.allTests()) count(results, test);
    }
    mkdirSync(dirname(process.env.TEST_RESULTS), { recursive: true });
    writeFileSync(process.env.TEST_RESULTS, JSON.stringify(results));
  }
}

function count(results, test) {
  const { state, note } = test.result();
  if (state === 'passed') results.passed += 1;
  else if (state === 'skipped') results.skipped.push({ name: test.fullName, reason: note ?? reasonOf(test) });
  else results.failed += 1; // Failed, or still pending because the run broke off.
}

function reasonOf(test) {
  for (let task = test; task?.name !== undefined; task = task.parent) {
    const [, reason] = task.name.match(/\(([^()]*)\)$/) ?? [];
    if (reason !== undefined) return reason;
  }
  return undefined;
}
