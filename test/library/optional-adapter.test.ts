import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { tool } from '../../src/library/function-host.ts';
import { loadModel } from '../../src/library/load.ts';
import { demoFiles } from '../../src/model/demo-model.ts';

const QUESTIONS = ['Hello! Who are you?', 'Name three colours.', 'Write a short poem about the sea.'];
const multiply = tool({
  description: 'Multiply numbers.',
  parameters: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => a * b,
});

/** The demo's adapter, for replies that may call a tool only. */
function onlyWithTools(): string {
  const folder = mkdtempSync(join(tmpdir(), 'llm-host-adapter-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(demoFiles(process.env).adapter, folder, { recursive: true });
  const path = join(folder, 'adapter_config.json');
  const config = JSON.parse(readFileSync(path, 'utf8')) as object;
  writeFileSync(path, JSON.stringify({ ...config, llm_host: { only_with_tools: true } }));
  return folder;
}

test('without tools a model says what it says without its adapter; with one it calls it', async () => {
  await using taught = await loadModel('demo', { adapter: onlyWithTools() });
  await using untuned = await loadModel('demo', { adapter: [] });
  const said = async (model: typeof taught) => {
    const chat = model.chat({
      system: 'You are a helpful assistant.',
      temperature: 0,
      seed: 1,
      maxTokens: 40,
    });
    const texts: string[] = [];
    for (const question of QUESTIONS) texts.push((await chat.send(question)).text);
    return texts;
  };
  const asked = async (model: typeof taught) =>
    (await model.chat({ tools: { multiply }, temperature: 0 }).send('What is 12 times 11?')).calls;
  // At the same time: neither may change the other's words.
  const [plain, calls, own] = await Promise.all([said(taught), asked(taught), said(untuned)]);
  expect(plain).toEqual(own);
  expect(calls).toMatchObject([{ name: 'multiply', result: expect.stringContaining('132') }]);
  expect(await said(taught)).toEqual(own);
});
