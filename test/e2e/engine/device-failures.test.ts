import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mlxShim } from '../../native/mlx-shim.ts';
import { MAIN, Program, ROOT, runProgram, workplace } from '../program.ts';

const LIMIT_MS = 120_000;
const CONFIG = '{ "SystemPrompt": "Be brief.", "sampling": { "temperature": 0, "maxTokens": 4 } }';
/** One token a letter. */
const TOKENIZER = JSON.stringify({
  added_tokens: [],
  model: {
    type: 'BPE',
    vocab: Object.fromEntries(Array.from({ length: 128 }, (_, id) => [String.fromCharCode(32 + id), id])),
    merges: [],
    unk_token: ' ',
  },
});

const folder = mkdtempSync(join(tmpdir(), 'llm-host-device-failures-'));
const model = join(folder, 'model');
const broken = join(folder, 'broken');
let shim: Readonly<Record<string, string>>;

beforeAll(() => {
  shim = mlxShim(folder);
  for (const copy of [model, broken]) {
    cpSync(join(ROOT, 'test/fixtures/models/tiny-bf16'), copy, { recursive: true });
    writeFileSync(join(copy, 'tokenizer.json'), TOKENIZER);
  }
  // The greatest bfloat16 as the last norm's weights: a number, but the logits are none.
  const bytes = readFileSync(join(broken, 'model.safetensors'));
  const start = 8 + Number(bytes.readBigUInt64LE());
  const header = JSON.parse(bytes.toString('utf8', 8, start));
  const [from, to] = header['model.norm.weight'].data_offsets;
  bytes.fill(0x7f, start + from, start + to);
  writeFileSync(join(broken, 'model.safetensors'), bytes);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function place(more: Readonly<Record<string, string>>) {
  const { dir, env } = workplace({ 'config.json': CONFIG, 'mcp.json': '{ "servers": {} }' });
  return { cwd: dir, env: { ...env, ...more } };
}

const failing = (at: string, text: string, policy = 'gpu') => ({
  ...shim,
  MLX_FAILS_AT: at,
  MLX_FAILS_WITH: text,
  LLM_HOST_DEVICE_POLICY: policy,
});

const TIMEOUT = '[METAL] Command buffer execution failed: Caused GPU Timeout Error';

describe.skipIf(process.platform !== 'linux')('a device that fails (LD_PRELOAD: Linux)', () => {
  test.each<[at: string, text: string, code: number, says: string]>([
    ['start', '[metal::load_device] No Metal device', 69, 'starting MLX: the GPU cannot be used ([metal'],
    ['start', 'Failed to load the default metallib.', 69, '`llm-host doctor` shows what it lacks'],
    [
      'load',
      '[metal::malloc] Unable to allocate 9 bytes.',
      71,
      'loading the model: there is not enough memory',
    ],
    ['decode', 'cudaMallocAsync failed: out of memory', 71, 'generating: there is not enough memory (cuda'],
    ['decode', TIMEOUT, 1, `generating: ${TIMEOUT}`],
    [
      'decode',
      'cudaStreamSynchronize(s) failed: unspecified launch failure',
      1,
      '; the GPU does no more for this',
    ],
  ])('-p, at %s: %s: exit %i', { timeout: LIMIT_MS }, async (at, text, code, says) => {
    const ended = await runProgram(MAIN, [model, '-p', 'hi'], place(failing(at, text)));
    expect(ended.stderr).toContain(`Error: `);
    expect(ended.stderr).toContain(says);
    expect({ code: ended.code, signal: ended.signal, stdout: ended.stdout }).toEqual({
      code,
      signal: null,
      stdout: '',
    });
  });

  test.each(['gpu', ''])(
    "logits that are no numbers, under policy '%s': exit 65",
    { timeout: LIMIT_MS },
    async policy => {
      const ended = await runProgram(MAIN, [broken, '-p', 'hi'], place({ LLM_HOST_DEVICE_POLICY: policy }));
      expect(ended.stderr).toContain('values that are not numbers: its weights are broken');
      expect(ended.code).toBe(65);
    },
  );

  test('a chat goes on after each failed reply', { timeout: LIMIT_MS }, async () => {
    const options = { ...place(failing('decode', TIMEOUT)), stdin: 'hi\nagain\n/exit\n' };
    const { code, stdout, stderr } = await runProgram(MAIN, [model, '--plain'], options);
    expect(`${stdout}${stderr}`.split(`generating: ${TIMEOUT}`)).toHaveLength(3);
    expect(code).toBe(0);
  });

  test('serve answers 503 with the message and serves on', { timeout: LIMIT_MS }, async () => {
    const options = place(failing('decode', 'cudaMallocAsync failed: out of memory'));
    const server = new Program(MAIN, ['serve', model, '--port', '0', '--no-mcp'], options);
    const url = await server.url();
    for (const round of [1, 2]) {
      const answer = await fetch(`${url}/v1/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ prompt: 'hi', max_tokens: 4 }),
      });
      expect({ round, status: answer.status, text: await answer.text() }).toEqual({
        round,
        status: 503,
        text: expect.stringContaining('there is not enough memory'),
      });
    }
    expect((await fetch(`${url}/v1/models`)).status).toBe(200);
    server.child.kill('SIGTERM');
    expect((await server.ended).code).not.toBeNull();
  });

  test('doctor names it and exits with 69', { timeout: LIMIT_MS }, async () => {
    const options = place({ ...failing('start', 'No Metal device'), HF_HUB_OFFLINE: '1' });
    const { code, stdout } = await runProgram(MAIN, ['doctor'], options);
    expect(stdout).toMatch(/^ERROR +engine: .*starting MLX: the GPU cannot be used \(No Metal device\)/m);
    expect(code).toBe(69);
  });
});
