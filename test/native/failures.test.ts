import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../e2e/program.ts';
import { runNode } from '../run-node.ts';
import { mlxShim } from './mlx-shim.ts';

/** Loads a tiny model and generates twice, and prints what each of the three came to. */
const CHILD = `
  const { loadEngine } = await import(${JSON.stringify(pathToFileURL(join(ROOT, 'dist/engine/load-engine.js')).href)});
  const told = [];
  const attempt = async body => {
    try {
      told.push(await body());
    } catch ({ code, message }) {
      told.push({ code, message });
    }
  };
  const { FAILS_AT } = process.env;
  const early = FAILS_AT === 'start' || FAILS_AT === 'load';
  if (early) process.env.MLX_FAILS_AT = FAILS_AT;
  let engine;
  const model = ${JSON.stringify(join(ROOT, 'test/fixtures/models/tiny-bf16'))};
  await attempt(async () => void (engine = await loadEngine(model, { cwd: '/', env: {}, contextLength: 64 })));
  if (!early) process.env.MLX_FAILS_AT = FAILS_AT;
  for (const round of [1, 2]) {
    await attempt(async () => {
      let tokens = 0;
      for await (const _ of engine.generate({ promptIds: [5, 6, 7], maxTokens: 4, ignoreEos: true })) tokens++;
      return tokens;
    });
  }
  await engine?.close();
  console.log(JSON.stringify(told));`;

const folder = mkdtempSync(join(tmpdir(), 'llm-host-mlx-fails-'));
let shim: Readonly<Record<string, string>>;

beforeAll(() => {
  shim = mlxShim(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NO_MEMORY =
  'there is not enough memory (%s); close other programs, or use a smaller or more strongly quantized model, or a shorter context';
const LOST = '%s; the GPU does no more for this process: start the program again';
const NO_DEVICE = 'the GPU cannot be used (%s); `llm-host doctor` shows what it lacks';

describe.skipIf(process.platform !== 'linux')(
  'a device that fails ends a command, not the process (LD_PRELOAD: Linux)',
  () => {
    test.each<[at: string, text: string, doing: string, code: string, says: string]>([
      ['start', '[metal::load_device] No Metal device', 'starting MLX', 'ENGINE_UNAVAILABLE', NO_DEVICE],
      ['start', 'Failed to load the default metallib.', 'starting MLX', 'ENGINE_UNAVAILABLE', NO_DEVICE],
      [
        'start',
        'cudaMallocManaged(&data, size) failed: CUDA driver version is insufficient',
        'starting MLX',
        'ENGINE_UNAVAILABLE',
        NO_DEVICE,
      ],
      [
        'load',
        '[metal::malloc] Unable to allocate 9 bytes.',
        'loading the model',
        'OUT_OF_MEMORY',
        NO_MEMORY,
      ],
      ['load', 'cudaMalloc failed: out of memory', 'loading the model', 'OUT_OF_MEMORY', NO_MEMORY],
      [
        'prefill',
        '[metal::malloc] Resource limit (499000) exceeded.',
        'generating',
        'OUT_OF_MEMORY',
        NO_MEMORY,
      ],
      [
        'decode',
        '[METAL] Command buffer execution failed: Insufficient Memory (00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)',
        'generating',
        'OUT_OF_MEMORY',
        NO_MEMORY,
      ],
      [
        'decode',
        '[METAL] Command buffer execution failed: Caused GPU Timeout Error',
        'generating',
        'ENGINE',
        '%s',
      ],
      ['load', '[malloc] Unable to allocate 9 bytes.', 'loading the model', 'OUT_OF_MEMORY', NO_MEMORY],
      [
        'prefill',
        'cudaGraphInstantiate(&graph_exec, graph, nullptr, nullptr, 0) failed: out of memory',
        'generating',
        'OUT_OF_MEMORY',
        NO_MEMORY,
      ],
      [
        'prefill',
        'cublasCreate(&handle) failed: CUBLAS_STATUS_ALLOC_FAILED',
        'generating',
        'OUT_OF_MEMORY',
        NO_MEMORY,
      ],
      ['decode', 'cudaMallocAsync failed: out of memory', 'generating', 'OUT_OF_MEMORY', NO_MEMORY],
      [
        'prefill',
        'cudaGraphLaunch(graph_exec, stream) failed: an illegal memory access was encountered',
        'generating',
        'ENGINE',
        LOST,
      ],
      [
        'decode',
        'cudaStreamSynchronize(stream) failed: unspecified launch failure',
        'generating',
        'ENGINE',
        LOST,
      ],
      [
        'start',
        'cudaGetDeviceCount(&count) failed: no CUDA-capable device is detected',
        'starting MLX',
        'ENGINE_UNAVAILABLE',
        NO_DEVICE,
      ],
    ])('%s: %s', async (at, text, doing, code, says) => {
      const { status, signal, stdout, stderr } = await runNode(['--input-type=module', '-e', CHILD], {
        ...shim,
        FAILS_AT: at,
        MLX_FAILS_WITH: text,
        LLM_HOST_EXACT: '1',
      });
      expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' });
      const [loaded, ...replies] = JSON.parse(stdout);
      const failure = { code, message: `${doing}: ${says.replace('%s', text)}` };
      if (doing !== 'generating') return expect(loaded).toEqual(failure);
      expect(loaded).toBeNull();
      // The model is still there, and says the same again.
      expect(replies).toEqual([failure, failure]);
    });
  },
);
