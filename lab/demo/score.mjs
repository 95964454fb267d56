// Scores the demo model on the held-out requests and dialogues of models/demo/heldout, as `llm-host demo` runs it: whether it
// denies a listed tool, refuses what needs no tool, follows a dialogue, and gets its own script right whatever the order of
// its tools (demo/rules.mjs says what counts as what).
// A run that was cut short goes on where it stopped, as long as the demo stays the same; `--again` starts over, for
// instance after a change of the program.
// Usage, after `npm run bootstrap`: node lab/demo/score.mjs [--sets denial,plain,dialogues,scripted] [--every N] [--failures] [--again] [--json FILE]
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildDir } from '../../scripts/lib/project.mjs';
import { runMain, SetupError } from '../../scripts/lib/setup-error.mjs';
import { asJson, outcomes } from './outcomes.mjs';
import { table } from './score-table.mjs';

const { values: options } = parseArgs({
  options: {
    sets: { type: 'string', default: 'denial,plain,dialogues,scripted' },
    // Every Nth case: a quick look.
    every: { type: 'string', default: '1' },
    failures: { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});

await runMain(async () => {
  const { casesOfSet, demoFingerprint, SETS } = await import('./heldout-sets.mjs');
  const { openDemo } = await import('./demo-model.mjs');
  const chosen = options.sets.split(',');
  const unknown = chosen.find(name => SETS[name] === undefined);
  if (unknown !== undefined || !(Number(options.every) >= 1))
    throw new SetupError(`--sets takes ${Object.keys(SETS).join(', ')}; --every a number from 1`);
  const file = join(buildDir, 'score-demo', `${demoFingerprint()}.jsonl`);
  if (options.again) rmSync(file, { force: true });
  const done = outcomes(file);
  const cases = chosen.flatMap(set =>
    casesOfSet(set)
      .filter((_, index) => index % Number(options.every) === 0)
      .map(one => ({ set, one })),
  );
  const opened = cases.every(({ one }) => done.known(one)) ? undefined : await openDemo();
  const results = [];
  for (const { set, one } of cases) {
    const outcome = done.known(one) ?? done.add(one, await SETS[set].ask(opened.model, one));
    results.push({ set, kind: SETS[set].kindOf(one), id: one.id, ...outcome });
    if (options.failures && outcome.verdict !== 'right') show(one, outcome);
    if (process.stderr.isTTY) process.stderr.write(`\r${results.length}/${cases.length} `);
  }
  await opened?.close();
  console.log(table(results, SETS));
  if (options.json) writeFileSync(options.json, `${JSON.stringify(results, null, 1)}\n`);
  process.exit(0);
});

function show(one, { verdict, answered, at }) {
  const asked = one.user ?? one.judged.findLast((step, index) => index < at && step.user !== undefined)?.user;
  const wanted = one.judged ? one.judged[at] : (one.arguments ?? one.says ?? '');
  console.log(
    `${one.id} ${verdict} [${one.list}] ${asked?.slice(-200)}\n  wanted ${one.tool ?? ''} ${asJson(wanted)}`,
  );
  console.log(`  got    ${asJson(answered.calls)} ${answered.text.trim().slice(0, 300)}`);
}
