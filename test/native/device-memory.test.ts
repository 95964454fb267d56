import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { ROOT } from '../e2e/program.ts';
import { runNode } from '../run-node.ts';
import { mlxShim } from './mlx-shim.ts';

const folder = mkdtempSync(join(tmpdir(), 'llm-host-memory-'));
afterAll(() => rmSync(folder, { recursive: true }));
const shim = mlxShim(folder);
const dist = (path: string) => JSON.stringify(pathToFileURL(join(ROOT, 'dist', path)).href);

/** Reads a prompt, cancels or fails where it is told to, and prints how far the prompt was at each event. */
const CHILD = `
  const { loadAddon } = await import(${dist('native/load-addon.js')});
  const { readModel } = await import(${dist('model/load-model.js')});
  const { FOLDER, PROMPT, TOKENS, CANCEL_AT, FAILS_AT } = process.env;
  const { spec } = readModel({ kind: 'folder', text: FOLDER, path: FOLDER }, { cwd: '/', env: {}, contextLength: 0, exact: false });
  const model = await loadAddon().load(spec, () => {});
  if (FAILS_AT) process.env.MLX_FAILS_AT = FAILS_AT;
  const request = {
    promptIds: new Int32Array(Number(PROMPT)).fill(5), maxTokens: Number(TOKENS), temperature: 0, topP: 1, topK: 0,
    minP: 0, callConfidence: 0, repetitionPenalty: 1, presencePenalty: 0, frequencyPenalty: 0, logitBiasIds: new Int32Array(),
    logitBias: new Float32Array(), seed: 1, stopIds: new Int32Array(), logprobs: -1, prefillChunk: 0,
    checkpoints: new Int32Array(),
  };
  const told = { read: [], tokens: 0, end: '' };
  await new Promise(resolve => {
    const job = model.start(request, () => {
      for (const event of model.take(job)) {
        if (event.type === 'prefill') told.read.push(event.done);
        if (event.type === 'token') told.tokens++;
        if (event.type === 'prefill' && event.done === Number(CANCEL_AT)) model.cancel(job);
        if (event.type === 'end' || event.type === 'error') resolve((told.end = event.reason ?? event.code));
      }
    });
  });
  await model.close();
  console.log(JSON.stringify(told));`;

/** A tiny model with room for two chunks. */
function longModel(): string {
  const copy = join(folder, 'model');
  cpSync(join(ROOT, 'test/fixtures/models/tiny-bf16'), copy, { recursive: true });
  const config = JSON.parse(readFileSync(join(copy, 'config.json'), 'utf8'));
  writeFileSync(join(copy, 'config.json'), JSON.stringify({ ...config, max_position_embeddings: 4096 }));
  return copy;
}
const model = longModel();
let run = 0;

/** What it printed, and MLX's calls in order, with how often each came in a row. */
async function callsOf(env: Readonly<Record<string, string>>) {
  run += 1;
  const log = join(folder, `calls-${run}`);
  writeFileSync(log, '');
  const { status, stderr, stdout } = await runNode(['--input-type=module', '-e', CHILD], {
    ...shim,
    LLM_HOST_DEVICE_POLICY: 'gpu',
    FOLDER: model,
    PROMPT: '9',
    TOKENS: '4',
    MLX_CALLS: log,
    MLX_WORKING_SET: `${1e9}`,
    MLX_FAILS_WITH: 'out of memory',
    ...env,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const calls: [string, number][] = [];
  for (const call of readFileSync(log, 'utf8').trim().split('\n')) {
    // Waiting for one array.
    if (call === 'load') continue;
    const last = calls.at(-1);
    if (last?.[0] === call) last[1] += 1;
    else calls.push([call, 1]);
  }
  const generating = calls.findIndex(([call]) => call.startsWith('set_cache_limit'));
  const shown = calls
    .slice(Math.max(0, generating))
    .map(([call, times]) => `${call}${times > 1 ? ` x${times}` : ''}`);
  return { told: JSON.parse(stdout), calls: shown };
}

const CACHE = expect.stringMatching(/^set_cache_limit 2(49|50)\d{6}$/);
const [WIRED, UNWIRED] = [`set_wired_limit ${1e9}`, 'set_wired_limit 0'];

describe.skipIf(process.platform !== 'linux')("MLX's memory under a GPU's policy (LD_PRELOAD: Linux)", () => {
  test('a prompt of two chunks, then 300 tokens: buffers are dropped after each chunk and 256 tokens', async () => {
    const { told, calls } = await callsOf({ PROMPT: '2100', TOKENS: '300' });
    expect(told).toEqual({ read: [0, 2048, 2100], tokens: 300, end: 'length' });
    expect(calls).toEqual([
      ...[CACHE, WIRED, 'clear_cache', 'prefill', 'clear_cache', 'prefill', 'clear_cache'],
      ...['decode x257', 'clear_cache', 'decode x43', 'synchronize x2', UNWIRED],
      ...['clear_cache x2'],
    ]);
  });

  test('a cancel between two chunks, and a failure: the device is awaited, then nothing is wired', async () => {
    const cancelled = await callsOf({ PROMPT: '2100', CANCEL_AT: '2048' });
    expect(cancelled.told).toMatchObject({ tokens: 0, end: 'cancelled' });
    expect(cancelled.calls.slice(-4)).toContain(UNWIRED);
    expect(cancelled.calls.at(cancelled.calls.indexOf(UNWIRED) - 1)).toMatch(/^synchronize/);
    for (const place of ['prefill', 'decode']) {
      const failed = await callsOf({ FAILS_AT: place });
      expect(failed.told).toMatchObject({ end: 'OUT_OF_MEMORY' });
      expect(failed.calls.at(failed.calls.indexOf(UNWIRED) - 1)).toMatch(/^synchronize/);
    }
  });

  test('a refused limit leaves memory unwired, and the reply is whole', async () => {
    const { told, calls } = await callsOf({ MLX_REFUSES_WIRED: '1' });
    expect(told).toMatchObject({ tokens: 4, end: 'length' });
    expect(calls.filter(call => call.includes('wired'))).toEqual([WIRED]);
  });

  test('LLM_HOST_WIRED=0, a device without a working set, and a CPU leave memory unwired', async () => {
    const wires = ({ calls }: { calls: unknown[] }) => calls.filter(call => String(call).includes('wired'));
    expect(wires(await callsOf({ LLM_HOST_WIRED: '0' }))).toEqual([]);
    expect(wires(await callsOf({ MLX_WORKING_SET: '0' }))).toEqual([]);
    const cpu = await callsOf({ LLM_HOST_DEVICE_POLICY: '', LLM_HOST_WIRED: '1' });
    expect(wires(cpu)).toEqual([]);
    expect(cpu.calls.filter(call => call.includes('set_cache_limit'))).toEqual([
      // What is freed, the C library keeps.
      'set_cache_limit 0',
    ]);
  });
});
