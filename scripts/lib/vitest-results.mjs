import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * A vitest reporter that writes the counts, and each skipped test with its reason, to $TEST_RESULTS. (vitest's own
 * JSON leaves out the reason given to `ctx.skip`.) vitest wants a default export.
 */
export default class ResultsReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const results = { passed: 0, failed: unhandledErrors.length, skipped: [] };
    for (const module of modules) {
      // A module or a hook that throws fails no test of its own.
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
  else if (state === 'skipped') results.skipped.push({ name: test.fullName, reason: note });
  else results.failed += 1; // Failed, or still pending because the run broke off.
}
