import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
import { describe, expect, test } from 'vitest';
import { type NodeRun, runNode } from '../run-node.ts';
import { request } from './tiny/native-request.ts';
import { tinyModel } from './tiny/tiny-model.ts';

const child = fileURLToPath(new URL('exit-child.mjs', import.meta.url));
const addon = fileURLToPath(new URL('../../build/Release/llm_host.node', import.meta.url));
const prompt = Array.from({ length: 3000 }, (_, i) => (i * 7) % 96);
const given = serialize({ spec: tinyModel().spec, request: request(prompt, { maxTokens: 1000 }) }).toString(
  'base64',
);

function runChild(plan: string, delayMs = 0): Promise<NodeRun> {
  const env = { LLM_HOST_ADDON: process.env.LLM_HOST_ADDON ?? addon };
  return runNode([child, given, plan, String(delayMs)], env);
}

describe('leaving the process', () => {
  test('by process.exit at any moment ends with the code that was given', { timeout: 240_000 }, async () => {
    for (let round = 0; round < 10; round++) {
      // Delays from before the load to well into decoding.
      const delays = Array.from({ length: 5 }, (_, i) => (round * 5 + i) * 6);
      const outcomes = await Promise.all(delays.map(delay => runChild('exit', delay)));
      for (const [i, outcome] of outcomes.entries()) {
        expect(outcome, `after ${delays[i]} ms`).toMatchObject({ status: 7, signal: null, stderr: '' });
      }
    }
  });

  test('while the model waits for a reader', { timeout: 60_000 }, async () => {
    const outcomes = await Promise.all([0, 50, 300].map(delay => runChild('exit-full', delay)));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 7, signal: null, stderr: '' });
  });

  test('by an uncaught error', { timeout: 60_000 }, async () => {
    const outcomes = await Promise.all([0, 40, 120].map(delay => runChild('throw', delay)));
    for (const { status, signal, stderr } of outcomes) {
      expect({ status, signal }).toEqual({ status: 1, signal: null });
      expect(stderr).toContain('thrown on purpose');
    }
  });

  test('with nothing left to do, though the model is open', { timeout: 60_000 }, async () => {
    expect(await runChild('idle')).toEqual({ status: 0, signal: null, stdout: 'length\n', stderr: '' });
  });

  test('with nothing left to do, after calls that threw', { timeout: 60_000 }, async () => {
    const stdout = 'thrown by a property\nthrown by a property\n';
    expect(await runChild('hostile')).toEqual({ status: 0, signal: null, stdout, stderr: '' });
  });

  test('not before a job has ended', { timeout: 60_000 }, async () => {
    expect(await runChild('to-the-end')).toEqual({ status: 0, signal: null, stdout: '1000\n', stderr: '' });
  });
});

test('after shutdown nothing works, and nothing crashes', { timeout: 60_000 }, async () => {
  expect(await runChild('after-shutdown')).toEqual({
    status: 0,
    signal: null,
    stdout: 'cancelled\nENGINE_UNAVAILABLE\nENGINE_UNAVAILABLE\nclosed\n',
    stderr: '',
  });
});
