/** Where a line runs in test/e2e/documented-commands.test.ts, and what it is given. */
export type Place = 'checkout' | 'application' | 'hub';

/** How a command line of the documentation is tested. */
export type Row =
  | { readonly runs: Place; readonly shows: RegExp; readonly stdin?: string }
  /** The test that runs this line, or the same with what takes less time. */
  | { readonly runsIn: string }
  /** What else is true of it then: ours are parsed, scripts are linked. */
  | { readonly notRun: string };

const BENCH: Row = { runsIn: 'test/e2e/bench.test.ts' };
const MINUTES: Row = { notRun: 'takes minutes; by hand' };

/** One row for each line, in the order of the pages. A line without a row, and a row without a line, fail. */
export const TABLE: Readonly<Record<string, Row>> = {
  // README.md
  'npm run demo': { runs: 'checkout', stdin: 'bye\n', shows: /Ready\. Type your prompt/ },
  'npm test': { notRun: 'is what runs this' },
  'npm run demo < /dev/null': { runsIn: 'test/e2e/demo.test.ts' },
  'npm run bootstrap': { runs: 'checkout', shows: /^/ },
  'node dist/cli/main.js init': { runs: 'application', shows: /^Wrote .*mcp\.json$/m },
  'node dist/cli/main.js path/to/model-folder': { runs: 'application', shows: /^Ready\./m },
  'node dist/cli/main.js path/to/model.gguf -p "What is 17 + 25?"': { runs: 'application', shows: /\S/ },
  'llm-host <model> -p "text"': { runsIn: 'test/e2e/conversation.test.ts' },
  'llm-host --help': { runs: 'application', shows: /^Usage: llm-host <model> \[options\]/m },
  'llm-host doctor': { runsIn: 'test/cli/doctor.test.ts' },
  'llm-host completion bash': { runsIn: 'test/cli/completion.test.ts' },
  'llm-host bench': BENCH,
  'npm run check:darwin': { notRun: '`npm test` does, where the cross compiler has been fetched' },
  'npm ci': { notRun: 'would take away the packages that run this' },
  'npm run pack:all': { notRun: 'packs 300 MB; what goes in: test/scripts/pack.test.ts' },
  // docs/events.md
  'llm-host <model> --json': { runsIn: 'test/e2e/json-mode.test.ts' },
  'llm-host demo --json -p "What is 17 plus 25?" 2>/dev/null': { runsIn: 'test/e2e/demo.test.ts' },
  // docs/hub.md, in the order in which they make sense
  'llm-host ibm-granite/granite-4.0-1b': { runs: 'hub', shows: /^Ready\./m },
  'llm-host ibm-granite/granite-4.0-1b --revision v1': { runs: 'hub', shows: /^Ready\./m },
  'llm-host pull ibm-granite/granite-4.0-1b': { runs: 'hub', shows: /^\S+granite-4\.0-1b is complete at / },
  'llm-host list': { runs: 'hub', shows: /^ibm-granite\/granite-4\.0-1b .* main, v1\n1 model, / },
  'llm-host rm ibm-granite/granite-4.0-1b': { runs: 'hub', shows: /^Removed .*freed\n$/ },
  'node scripts/interrupt-pull.mjs': { notRun: 'takes a minute; smaller ones: test/hub/processes.test.ts' },
  'node scripts/measure-list.mjs': { notRun: 'a time, which no test depends on' },
  // docs/mcp.md
  'llm-host init': { runsIn: 'test/e2e/start-up.test.ts' },
  'llm-host tools': {
    runs: 'application',
    shows: /^calculator: ready, 6 tools\n[\s\S]*^files: ready, 4 tools\n/m,
  },
  'llm-host tools --login NAME': { runsIn: 'test/e2e/mcp-commands.test.ts' },
  'node scripts/conformance.mjs': { notRun: 'needs a package of a registry, and minutes' },
  // docs/models.md
  'node scripts/granite-shape.mjs FOLDER': { notRun: 'writes 3.3 GB' },
  'llm-host inspect': { runsIn: 'test/model/inspect.test.ts' },
  // docs/packages.md
  'npm install llm-host @llm-host/demo-weights': { notRun: 'from files: scripts/prove-install.mjs' },
  'npx llm-host demo': { notRun: 'in an empty folder: scripts/prove-install.mjs' },
  'node scripts/prove-install.mjs': { notRun: 'packs 300 MB, and needs a registry' },
  // docs/performance.md
  'llm-host bench demo': BENCH,
  'llm-host bench model.gguf --prompt-tokens 128,512,4096 --generate 128 --runs 5 --threads 2': BENCH,
  'llm-host bench model.gguf --json > report.json': BENCH,
  'llm-host bench model.gguf --compare mlx-lm,llama.cpp --threads 2 --graph': BENCH,
  'llm-host bench folder --quantize 4 --prompt-tokens 128,512,4096 --generate 32 --runs 3': BENCH,
  'node scripts/bench-peers.mjs': { notRun: 'downloads the peers' },
  'node scripts/granite-shape.mjs folder': { notRun: 'writes 3.3 GB' },
  'node scripts/perplexity.mjs model.gguf --with NAME=VALUE': MINUTES,
  'node scripts/second-turn.mjs model.gguf --history 100,4000': MINUTES,
  // docs/security.md, docs/terminal.md
  'node scripts/mcp-faults.mjs': { runsIn: 'test/e2e/faults.test.ts' },
  'llm-host <model>': { runsIn: 'test/e2e/screen.test.ts' },
  'node scripts/screen-pictures.mjs': {
    notRun: 'writes docs/pictures; what they show: test/e2e/screen.test.ts',
  },
  'node scripts/measure-screen.mjs': MINUTES,
  // docs/tool-calling.md
  'llm-host <model> -p "..." --schema file.json': { runsIn: 'test/e2e/demo.test.ts' },
  'node scripts/score-constrained.mjs': MINUTES,
};
