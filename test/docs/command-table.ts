/** Where a line runs in test/e2e/docs/documented-commands.alone.test.ts and documented-use.test.ts, and what it is given. */
export type Place = 'checkout' | 'application' | 'hub' | 'measuring';

/** What a line prints when all is well. */
export interface Shown {
  readonly shows: RegExp;
  /** Default stdout. */
  readonly on?: 'stdout' | 'stderr';
  readonly stdin?: string;
  /** It goes on until it is stopped, which is done as soon as it shows that. */
  readonly stops?: true;
  /** It reads /proc. */
  readonly linux?: true;
}

/** How a command line of the documentation is tested. */
export type Row =
  /** By `npm run test:all`; `as`: with what takes less time. `long`: by `npm run test:long`, as it stands there. */
  | (Shown & { readonly runs: Place; readonly as?: string; readonly long?: true })
  /** By `npm run test:long` alone: it takes minutes, gigabytes or a registry. */
  | (Shown & { readonly runs?: never; readonly as?: never; readonly long: true })
  /** By a test of its own, whose title begins so. */
  | { readonly runsIn: string; readonly test: string };

const DEMO_TEST = 'test/e2e/docs/demo.test.ts';
const DEMO_SMOKE_TEST = 'test/e2e/smoke/demo.test.ts';
const TUTORIAL_TEST = 'test/e2e/docs/tutorial.test.ts';
const COMPARED = /peak memory, over llama\.cpp: \d/;
const GENERATED = /^generating, after \d+ tokens\n {2}llm-host /m;
const SERVES = /^Listening on http:/m;

/** Measured in seconds by `npm run test:all`, as documented by `npm run test:long`. */
const measured = (as: string, shows: RegExp, more?: Omit<Shown, 'shows'>): Row => ({
  runs: 'measuring',
  as,
  long: true,
  shows,
  ...more,
});

/** One row for each line, in the order of the pages. A line without a row, and a row without a line, fail. */
export const TABLE: Readonly<Record<string, Row>> = {
  // README.md
  'npm run bootstrap': { runs: 'checkout', long: true, shows: /^/ },
  'npm run demo': { runs: 'checkout', stdin: 'bye\n', shows: /Ready\. Type your prompt/ },
  'npm test': { long: true, shows: /^[1-9]\d* passed, 0 failed, \d+ skipped$/m },
  'npm run demo < /dev/null': { runsIn: DEMO_SMOKE_TEST, test: 'npm run demo < /dev/null: ' },
  'llm-host init': { runs: 'application', shows: /^Wrote .*mcp\.json$/m },
  'llm-host path/to/model-folder': { runs: 'application', shows: /^Ready\./m, on: 'stderr' },
  'llm-host path/to/model.gguf -p "What is 17 + 25?"': { runs: 'application', shows: /\S/ },
  'llm-host <model> -p "text"': { runs: 'application', shows: /\S/ },
  'llm-host --help': { runs: 'application', shows: /^Usage: llm-host <model> \[options\]/m },
  'llm-host doctor': { runs: 'hub', shows: /\S/ },
  'llm-host doctor --json': { runs: 'hub', shows: /^\s*[[{][\s\S]*"ok"/ },
  'llm-host completion bash': { runs: 'application', shows: /^complete .* llm-host$/m },
  'llm-host bench demo': measured('llm-host bench demo --prompt-tokens 16 --generate 4 --runs 1', GENERATED),
  'npm run check:arm64': { long: true, shows: /missing in libmlx\.so: 0$/m },
  'npm run check:darwin': { long: true, shows: /missing in libmlx\.dylib: 0$/m },
  'npm run prove:mac': { long: true, shows: /^ok +bench, [\s\S]*^Wrote \S+\.json and \S+\.md$/m },
  'npm run pack:all': {
    runs: 'checkout',
    as: 'npm run pack:all -- --to "$TMPDIR/packages" llm-host',
    long: true,
    shows: /^llm-host +\d+\.\d MB, unpacked .*llm-host-\d\S+\.tgz$[\s\S]*^\d packages? in /m,
  },
  // docs/tutorial.md, docs/choosing-a-model.md
  'alias llm-host="node $PWD/dist/cli/main.js"': { runs: 'checkout', shows: /^$/ },
  'llm-host demo': { runs: 'application', stdin: 'bye\n', shows: /^Ready\./m, on: 'stderr' },
  'llm-host inspect path/to/model.gguf': { runs: 'application', shows: /^parameters +134\.5 M$/m },
  'llm-host path/to/model.gguf': { runs: 'application', shows: /^Ready\./m, on: 'stderr' },
  'llm-host tools --mcp dice.json': { runsIn: TUTORIAL_TEST, test: 'llm-host tools --mcp dice.json: ' },
  'llm-host demo --mcp dice.json -p "Roll a die with 20 sides"': {
    runsIn: TUTORIAL_TEST,
    test: 'llm-host demo --mcp dice.json -p: ',
  },
  'echo "What is 17 + 25?" | llm-host demo': { runsIn: DEMO_TEST, test: 'echo | llm-host demo: ' },
  'node scripts/measure/model-sizes.mjs': {
    runs: 'measuring',
    shows: /^\| Llama-3\.3-70B \| 70\.6 B \| 39\.7 \|/m,
  },
  // docs/distributed.md
  'llm-host inspect <model> --hosts hosts.json': { runs: 'application', shows: /^machines +2, /m },
  'llm-host inspect <model> --hosts hosts.json --probe': {
    runsIn: 'test/model/distributed/inspect-hosts.test.ts',
    test: '--probe: ',
  },
  'openssl rand -hex 32 > secret && chmod 600 secret': {
    runsIn: 'test/e2e/distributed/shared-model.test.ts',
    test: 'a worker started by hand: ',
  },
  'llm-host worker --listen 10.0.0.2:9001 --secret-file secret': {
    runsIn: 'test/e2e/distributed/shared-model.test.ts',
    test: 'a worker started by hand: ',
  },
  'llm-host <model> --hosts hosts.json': {
    runsIn: 'test/e2e/distributed/shared-model.test.ts',
    test: 'a worker started by hand: ',
  },
  'node scripts/measure/hosts/plan.mjs': {
    runs: 'measuring',
    shows: /^\| 2 \| Thunderbolt 5, RDMA \| \d/m,
  },
  // docs/events.md
  'llm-host <model> --json': {
    runs: 'application',
    stdin: '{"type":"prompt","text":"Hello"}\n',
    shows: /^\{"type":"start",[\s\S]*"type":"assistant"[\s\S]*^\{"type":"end",.*"code":0\}$/m,
  },
  'llm-host demo --json -p "What is 17 plus 25?" 2>/dev/null': {
    runsIn: DEMO_SMOKE_TEST,
    test: '-p with a tool, as JSON: ',
  },
  // docs/hub.md, in the order in which they make sense
  'llm-host ibm-granite/granite-4.0-1b': { runs: 'hub', shows: /^Ready\./m, on: 'stderr' },
  'llm-host ibm-granite/granite-4.0-1b --revision v1': { runs: 'hub', shows: /^Ready\./m, on: 'stderr' },
  'llm-host pull ibm-granite/granite-4.0-1b': { runs: 'hub', shows: /^\S+granite-4\.0-1b is complete at / },
  'llm-host list': { runs: 'hub', shows: /^ibm-granite\/granite-4\.0-1b .* main, v1\n1 model, / },
  'llm-host rm ibm-granite/granite-4.0-1b': { runs: 'hub', shows: /^Removed .*freed\n$/ },
  'node scripts/check/program/interrupt-pull.mjs': measured(
    'node scripts/check/program/interrupt-pull.mjs 20 1 4',
    /^\d+ interruptions?: bit-exact; [\s\S]*^two downloads at once: bit-exact; 0 of /m,
  ),
  'node scripts/measure/list.mjs': measured(
    'node scripts/measure/list.mjs 5 1 60',
    /^\d+ models, seconds[\s\S]*^llm-host list +\d/m,
  ),
  // docs/mcp.md, docs/evidence/mcp-conformance.md
  'llm-host tools': {
    runs: 'application',
    shows: /^calculator: ready, 6 tools\n[\s\S]*^files: ready, 4 tools\n/m,
  },
  'llm-host tools --login NAME': { runsIn: 'test/e2e/mcp/mcp-commands.test.ts', test: '`tools --login`: ' },
  'node --expose-gc scripts/measure/mcp/load.mjs': measured(
    'node --expose-gc scripts/measure/mcp/load.mjs 64',
    /^\d+ with 32 at once: .* 0 of the signal\nclosed: /m,
  ),
  'node scripts/measure/mcp/start.mjs': {
    long: true,
    shows: /^run 3: .* 31 servers: prompt .* host \d+ MB$/m,
  },
  'node scripts/check/program/conformance.mjs': {
    long: true,
    shows: /^\| initialize \| 2025-11-25 \| 1\/1 \| passed \|$/m,
  },
  'node scripts/check/program/dual-era.mjs': {
    long: true,
    shows: /^\| TypeScript SDK 2\.4\.0 \| .* \| yes \| yes \| yes/m,
  },
  // docs/models.md, docs/performance.md, docs/evidence/measurements.md
  'node scripts/measure/lookup.mjs --runs 3': { long: true, shows: /^every reply is the same$/m },
  'node scripts/measure/granite-shape.mjs folder': measured(
    'node scripts/measure/granite-shape.mjs small --layers 1 --vocabulary 1024',
    /^wrote .*\n(?:.*\n)*peak memory \d\.\d+ GB, limit 2\.5 GB$/m,
  ),
  'node scripts/measure/large-models.mjs folder': measured(
    'node scripts/measure/large-models.mjs small --rows llama-1b-Q4_K_M --layers 1 --alone --runs 1 --prompt-tokens 8 --generate 4',
    /^\| llama-1b-Q4_K_M \| generationTokensPerSecond, 8 \| \d/m,
  ),
  'llm-host inspect <model>': { runs: 'application', shows: /^parameters +134\.5 M$/m },
  'llm-host bench model.gguf --prompt-tokens 128,512,4096 --generate 128 --runs 5 --threads 2': measured(
    'llm-host bench model.gguf --prompt-tokens 8,16,32 --generate 4 --runs 1 --threads 2',
    GENERATED,
  ),
  'llm-host bench model.gguf --json > report.json': measured(
    'llm-host bench model.gguf --json --prompt-tokens 8 --generate 4 --runs 1 > report.json',
    /^$/,
  ),
  'llm-host bench model.gguf --clients 1,2,4,8,16,32': measured(
    'llm-host bench model.gguf --clients 1,2 --prompt-tokens 8 --generate 4 --runs 1',
    /^generated by all clients together, by clients\n {2}llm-host 1 .* tok\/s, 1\.0 times$/m,
  ),
  'llm-host bench demo --tools questions': { runs: 'measuring', shows: /^ {2}calendar +2 /m },
  'llm-host bench <model> --tools questions': {
    runsIn: 'test/e2e/engine/bench.alone.test.ts',
    test: 'measures tool calls',
  },
  'llm-host bench <model> --tools questions --all --json > report.json': {
    runsIn: 'test/e2e/engine/bench.alone.test.ts',
    test: 'measures tool calls',
  },
  'node peers/install.mjs': {
    long: true,
    shows: /^node-llama-cpp@\S+ in [\s\S]*^mlx\S* mlx-lm==/m,
  },
  'node scripts/measure/launches.mjs': { long: true, shows: /^\| bf16 \| \d+ \| \d+ \| 0\.\d+ \|$/m },
  'llm-host bench model.gguf --compare mlx-lm,llama.cpp --threads 2 --graph': measured(
    'llm-host bench model.gguf --compare mlx-lm,llama.cpp --threads 2 --graph --prompt-tokens 8 --generate 4 --runs 1',
    COMPARED,
  ),
  'llm-host bench folder --quantize 4 --prompt-tokens 128,512,4096 --generate 32 --runs 3': measured(
    'llm-host bench folder --quantize 4 --prompt-tokens 8,16,32 --generate 4 --runs 1',
    GENERATED,
  ),
  'node scripts/measure/perplexity.mjs model.gguf --with NAME=VALUE': measured(
    'node scripts/measure/perplexity.mjs model.gguf --with NAME=VALUE --text short.txt',
    /^as it is: perplexity (\d+\.\d+) .*\nNAME=VALUE: perplexity \1 \(0\.000 %\)/,
  ),
  'node scripts/measure/real-weights.mjs': {
    long: true,
    shows: /^llama\.cpp \(node-llama-cpp \S+\): perplexity \d+\.\d+ /m,
  },
  'node scripts/measure/second-turn.mjs model.gguf --history 100,4000': measured(
    'node scripts/measure/second-turn.mjs model.gguf --history 60,120 --runs 1',
    /^(?:second turn after \d+ tokens: .* \d+ tokens read, [1-9]\d* from the cache\n){2}/,
  ),
  'node scripts/measure/cold-start.mjs folder/llama-1b-Q4_0.gguf folder/llama-1b-Q4_0.gguf': {
    long: true,
    shows: /^llm-host \d+ ms, llama\.cpp \d+ ms, ratio \d/m,
  },
  'node scripts/measure/restart.mjs demo --tokens 4000 --runs 3': {
    long: true,
    shows: /^every text is the same$/m,
  },
  'node scripts/measure/embeddings.mjs --texts 2000 --words 8 --rounds 3 --python PYTHON': measured(
    'node scripts/measure/embeddings.mjs --texts 2000 --words 8 --rounds 3',
    /^8 words, llm-host: \d+ texts\/s/m,
  ),
  'node scripts/measure/recall.mjs model.gguf': measured(
    'node scripts/measure/recall.mjs model.gguf --facts 1 --context 1024',
    /^(?:right|wrong) {2}Alma, Oslo: .*\n[01] of 1 right; older turns were summarized \d+ times$/m,
  ),
  // docs/packages.md
  'npm install llm-host @llm-host/demo-weights': { long: true, shows: /^added \d+ packages/m },
  'npx llm-host demo': { long: true, stdin: 'What is 17 plus 25?\n', shows: /^assistant -> .*\b42\b/m },
  'npm run bootstrap -- --backend cuda': {
    runsIn: 'test/scripts/build/cuda.test.ts',
    test: 'npm run bootstrap -- --backend cuda: ',
  },
  'npm run check:cuda': { long: true, shows: /missing in libmlx\.so: 0$/m },
  'node scripts/release/prove-install.mjs': { long: true, shows: /^What is 17 plus 25\? -> .*\b42\b/m },
  // docs/evidence/attacks.md, docs/terminal.md
  'node scripts/measure/mcp/faults.mjs': measured(
    'node scripts/measure/mcp/faults.mjs 1 0',
    /^then: the calculator answered; closed in \d\S* s with 0; processes left: 0$/m,
    { linux: true },
  ),
  'llm-host <model>': { runsIn: DEMO_TEST, test: 'the screen with the real model: ' },
  'node scripts/release/screen-pictures.mjs': measured(
    'node scripts/release/screen-pictures.mjs --to pictures completion',
    /\/completion\.svg$/m,
  ),
  'node scripts/measure/screen.mjs': measured(
    'node scripts/measure/screen.mjs 50 1500',
    /^\| llm-host \| [\s\S]*\n\| naive `<Text>` \| [\s\S]*^in use/m,
    { linux: true },
  ),
  'node scripts/measure/page-frames.mjs': { long: true, shows: /^\{"run":"words, .*"medianMs":\d/m },
  // docs/serve.md
  'llm-host serve <model>': measured('llm-host serve <model> --port 0', SERVES, { stops: true }),
  'llm-host serve demo': measured('llm-host serve demo --port 0', SERVES, { stops: true }),
  'llm-host --connect http://127.0.0.1:8080': {
    runsIn: 'test/e2e/serve/connect.test.ts',
    test: 'llm-host --connect: ',
  },
  'llm-host serve <model> --host 0.0.0.0 --api-key @key.txt': measured(
    'llm-host serve <model> --host 0.0.0.0 --api-key @key.txt --port 0',
    SERVES,
    { stops: true },
  ),
  'pip install openai anthropic ollama': {
    long: true,
    shows: /^Successfully installed .*anthropic-.*ollama-.* openai-/m,
  },
  'node scripts/check/program/serve-clients.mjs': {
    long: true,
    shows: /^npm:\n[\s\S]*^PyPI:\n[\s\S]*^frameworks:\n[\s\S]*^the server ended with 143$/m,
  },
  'node scripts/measure/serve.mjs --compare': measured(
    'node scripts/measure/serve.mjs --clients 1 --seconds 1 --tokens 4',
    /^\{"server":"llm-host","clients":1,.*"otherErrors":0/m,
  ),
  'llm-host ollama:qwen2:7b': measured(
    'llm-host ollama:qwen2:7b --ollama-base-url "$OLLAMA"',
    /^It works\.$/m,
    { stdin: 'Hello\n' },
  ),
  'llm-host -m qwen2:7b --backend ollama --ollama-base-url http://localhost:11434': measured(
    'llm-host -m qwen2:7b --backend ollama --ollama-base-url "$OLLAMA"',
    /^It works\.$/m,
    { stdin: 'Hello\n' },
  ),
  // docs/tool-calling.md
  'llm-host <model> -p "..." --schema file.json': { runs: 'application', shows: /^true$/m },
  'node lab/demo/constrained-calls.mjs': measured(
    'node lab/demo/constrained-calls.mjs --calls 2',
    /^held: (\d+) of \1 calls fit their schemas/m,
  ),
};
