import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../e2e/program.ts';
import { runNode } from '../../run-node.ts';
import { MODELS } from '../model-files.ts';

/** Foretells and loads each model with the built program, and prints both and the layout. */
const CHILD = `
  const { inspectModel } = await import(${JSON.stringify(pathToFileURL(join(ROOT, 'dist/model/inspect.js')).href)});
  const { loadEngine } = await import(${JSON.stringify(pathToFileURL(join(ROOT, 'dist/engine/load-engine.js')).href)});
  const { loadAddon } = await import(${JSON.stringify(pathToFileURL(join(ROOT, 'dist/native/load-addon.js')).href)});
  const found = { layout: loadAddon().weightLayout(false), exact: loadAddon().weightLayout(true), bytes: [] };
  for (const name of ['tiny-bf16', 'tiny-q4', 'tiny-q8']) {
    const where = { cwd: ${JSON.stringify(MODELS)}, env: {} };
    const foretold = inspectModel(name, { ...where, contextLength: 64 }).inspection.memory.weightBytes;
    const engine = await loadEngine(name, { ...where, contextLength: 64 });
    found.bytes.push([name, foretold, engine.info.weightBytes]);
    await engine.close();
  }
  console.log(JSON.stringify(found));`;

/** What Linux says of the CPU; undefined elsewhere. */
function cpuHas(...flags: readonly string[]): boolean | undefined {
  if (process.platform !== 'linux') return undefined;
  const known = new Set(readFileSync('/proc/cpuinfo', 'utf8').split(/\s+/));
  return flags.every(flag => known.has(flag));
}

const AVX2 = ['avx2', 'fma'];
const AVX512 = ['avx512f', 'avx512vl', 'avx512bw', 'avx512dq', 'avx512_vnni'];

describe.skipIf(process.platform !== 'linux')(
  'memory is foretold for the kernels that will run (a CPU: Linux)',
  () => {
    test.each<[Record<string, string>, boolean | undefined | 'stored']>([
      [{}, cpuHas(...AVX2) || cpuHas('asimddp')],
      [{ LLM_HOST_DEVICE_POLICY: 'gpu' }, 'stored'],
      [{ LLM_HOST_SIMD: 'portable' }, false],
      [{ LLM_HOST_SIMD: 'amx' }, false],
      [{ LLM_HOST_SIMD: 'avx2' }, cpuHas(...AVX2)],
      [{ LLM_HOST_SIMD: 'avx512' }, cpuHas(...AVX512)],
      [{ LLM_HOST_SIMD: 'neon' }, cpuHas('asimddp')],
      [{ LLM_HOST_DEVICE_POLICY: 'gpu', LLM_HOST_SIMD: 'avx2' }, 'stored'],
    ])('%j', async (env, fast) => {
      const { stdout, stderr } = await runNode(['--input-type=module', '-e', CHILD], {
        LLM_HOST_DEVICE_POLICY: undefined,
        LLM_HOST_SIMD: undefined,
        ...env,
      });
      expect(stderr).toBe('');
      const { layout, exact, bytes } = JSON.parse(stdout);
      const expected = fast === 'stored' ? fast : fast ? 'packed' : 'float32';
      expect([layout, exact]).toEqual([expected, 'float32']);
      expect(bytes).toHaveLength(3);
      for (const [name, foretold, held] of bytes) expect([name, foretold]).toEqual([name, held]);
    });
  },
);
