// Runs the protocol's own client scenarios (@modelcontextprotocol/conformance) against the connection layer of this
// program, and prints a table: with the stable suite, and with the newest one, which knows 2026-07-28 and runs a scenario
// once for each revision that it is for. Needs dist/ (npm run build). The suites, and the Node 22 that they need, are
// installed in the user's cache folder.
//   node scripts/check/program/conformance.mjs [scenario...]
import { join } from 'node:path';
import { root } from '../../lib/project.mjs';
import { runMain, SetupError } from '../../lib/setup-error.mjs';
import { EXCEPTIONS } from './conformance/exceptions.mjs';
import { installSuite, runSuite, SUITES } from './conformance/suite.mjs';

const TIMEOUT_MS = 60_000;
const client = `${process.execPath} ${join(root, 'scripts/check/program/conformance/client.mjs')}`;

/** Every scenario of a suite, with the revisions that it is for; none: the suite's own choice. */
async function scenariosOf(suite) {
  const listed = await runSuite(suite, 'list', '--client');
  return [...listed.matchAll(/^ {2}- (\S+)(?: \[([^\]]*)\])?/gm)].flatMap(([, name, revisions = '']) => {
    const dated = revisions.split(',').filter(revision => /^\d{4}-/.test(revision));
    return dated.length > 0 ? dated.map(revision => ({ name, revision })) : [{ name, revision: '' }];
  });
}

/** @returns {Promise<boolean>} whether it is as it should be */
async function runScenario(suite, { name, revision }) {
  const args = ['--command', client, '--scenario', name, '--timeout', String(TIMEOUT_MS)];
  const output = await runSuite(suite, 'client', ...args, ...(revision ? ['--spec-version', revision] : []));
  if (process.env.DEBUG) console.error(output);
  const checks = /Passed: (\d+\/\d+)/.exec(output)?.[1] ?? 'none';
  const passed = output.includes('OVERALL: PASSED');
  const exception = passed ? undefined : EXCEPTIONS[name];
  console.log(`| ${name} | ${revision} | ${checks} | ${passed ? 'passed' : (exception ?? 'FAILED')} |`);
  return passed || exception !== undefined;
}

await runMain(async () => {
  const wanted = process.argv.slice(2);
  const known = new Set();
  let failures = 0;
  for (const version of SUITES) {
    const suite = await installSuite(version);
    const all = await scenariosOf(suite);
    for (const { name } of all) known.add(name);
    console.log(`\n${version}\n\n| scenario | revision | checks passed | |\n| --- | --- | --- | --- |`);
    for (const scenario of all) {
      if (wanted.length > 0 && !wanted.includes(scenario.name)) continue;
      if (!(await runScenario(suite, scenario))) failures += 1;
    }
  }
  const unknown = wanted.filter(name => !known.has(name));
  if (unknown.length > 0)
    throw new SetupError(`unknown scenario: ${unknown.join(', ')}`, {
      hint: `There are: ${[...known].join(', ')}.`,
    });
  if (failures > 0) throw new SetupError(`${failures} ${failures === 1 ? 'scenario' : 'scenarios'} failed`);
});
