import { expect, test } from 'vitest';
import { z } from 'zod';
import { tool } from '../../src/library/function-tool.ts';
import { loadModel } from '../../src/library/load-model.ts';

const QUESTIONS = ['Hello! Who are you?', 'Name three colours.', 'Write a short poem about the sea.'];
const multiply = tool({
  description: 'Multiply numbers.',
  parameters: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => a * b,
});

test('without tools the demo says what its untuned model says; with one it calls it', async () => {
  await using demo = await loadModel('demo');
  await using untuned = await loadModel('demo', { adapter: [] });
  const said = async (model: typeof demo) => {
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
  const asked = async (model: typeof demo) =>
    (await model.chat({ tools: { multiply }, temperature: 0 }).send('What is 12 times 11?')).calls;
  // At the same time: neither may change the other's words.
  const [plain, calls, own] = await Promise.all([said(demo), asked(demo), said(untuned)]);
  expect(plain).toEqual(own);
  expect(calls).toMatchObject([{ name: 'multiply', result: expect.stringContaining('132') }]);
  expect(await said(demo)).toEqual(own);
});
