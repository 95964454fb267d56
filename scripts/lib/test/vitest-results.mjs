import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * A vitest reporter that writes the counts, the names of what failed, each skipped test with its reason, and how long each
 * file took, to $TEST_RESULTS. The reason is what was passed to `ctx.skip` (missing in vitest's own JSON), or the text in
 * brackets at the end of the name of the test or its nearest `describe`. vitest requires a default export.
 */
export default class ResultsReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const results = { passed: 0, failures: [], skipped: [], files: [] };
    const failed = (name, errors) => {
      for (const error of errors) results.failures.push(`${name}: ${firstLine(error)}`);
    };
    failed('outside of any test', unhandledErrors);
    for (const module of modules) {
      // A module or hook that throws does not count as a failed test.
      failed(module.relativeModuleId, module.errors());
      for (const suite of module.children.allSuites()) failed(suite.fullName, suite.errors());
      for (const test of module.children.allTests()) count(results, module, test);
      results.files.push({ name: module.relativeModuleId, seconds: module.diagnostic().duration / 1000 });
    }
    mkdirSync(dirname(process.env.TEST_RESULTS), { recursive: true });
    writeFileSync(process.env.TEST_RESULTS, JSON.stringify(results));
  }
}

function count(results, module, test) {
  const { state, note, errors = [] } = test.result();
  if (state === 'passed') results.passed += 1;
  else if (state === 'skipped') results.skipped.push({ name: test.fullName, reason: note ?? reasonOf(test) });
  else {
    const why = errors.length > 0 ? firstLine(errors[0]) : 'the run broke off';
    results.failures.push(`${module.relativeModuleId} > ${test.fullName}: ${why}`);
  }
}

function firstLine(error) {
  return String(error.message ?? error).split('\n', 1)[0];
}

function reasonOf(test) {
  for (let task = test; task?.name !== undefined; task = task.parent) {
    const [, reason] = task.name.match(/\(([^()]*)\)$/) ?? [];
    if (reason !== undefined) return reason;
  }
  return undefined;
}
