// One run of node-llama-cpp for `llm-host bench --compare`: the protocol of bench/run-protocol.
// Usage: node llama_cpp.mjs FOLDER, which contains node_modules with node-llama-cpp; the task comes on stdin.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const peer = join(process.argv[2], 'node_modules', 'node-llama-cpp');
const { version } = JSON.parse(readFileSync(join(peer, 'package.json'), 'utf8'));

async function run(spec) {
  const { getLlama } = await import(pathToFileURL(join(peer, 'dist', 'index.js')).href);
  const start = performance.now();
  // On a Mac the comparison is with MLX on Metal.
  const gpu = process.platform === 'darwin' ? 'metal' : false;
  const llama = await getLlama({ gpu, build: 'never', skipDownload: true, logLevel: 'error' });
  const model = await llama.loadModel({ modelPath: spec.model });
  const context = await model.createContext({ contextSize: spec.contextLength, ...contextOptions(spec) });
  const sequence = context.getSequence();
  const loadMs = performance.now() - start;
  if (spec.warmUp) await measure(sequence, spec.warmUp.promptIds, spec.warmUp.generate);
  const prompts = [];
  for (const ids of spec.prompts) {
    prompts.push(
      await measure(
        sequence,
        ids,
        spec.generate,
        prompts.length === 0 ? () => say({ type: 'first' }) : undefined,
      ),
    );
  }
  const device = llama.gpu === false ? 'cpu' : `gpu ${llama.gpu}`;
  say({ type: 'result', version, device, loadMs, prompts, peakBytes: peakBytes() });
}

/** LLM_HOST_BENCH_LLAMA_KV: ggml's type of keys and values, such as Q8_0; others than F16 need flash attention. */
function contextOptions({ threads }) {
  const type = process.env.LLM_HOST_BENCH_LLAMA_KV;
  const cache = {
    experimentalKvCacheKeyType: type,
    experimentalKvCacheValueType: type,
    flashAttention: true,
  };
  return { ...(threads !== undefined && { threads }), ...(type && cache) };
}

async function measure(sequence, ids, count, onFirst) {
  await sequence.clearHistory();
  const times = [];
  const start = performance.now();
  for await (const _token of sequence.evaluate(ids, { temperature: 0, yieldEogToken: true })) {
    times.push(performance.now() - start);
    if (times.length === 1) onFirst?.();
    if (times.length === count) break;
  }
  return {
    promptTokens: ids.length,
    firstTokenMs: times[0],
    generatedTokens: times.length,
    decodeMs: times.at(-1) - times[0],
  };
}

/** As src/bench/measure-run.ts has it. */
function peakBytes() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024;
  return Number(readFileSync('/proc/self/status', 'utf8').match(/^VmHWM:\s+(\d+) kB$/m)[1]) * 1024;
}

function say(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const lines = createInterface({ input: process.stdin });
lines.on('close', () => process.exit(0));
lines.once('line', async line => {
  try {
    await run(JSON.parse(line));
  } catch (error) {
    say({ type: 'error', code: 'ENGINE', message: error.message });
  }
});
