import { generateObject, generateText, stepCountIs, streamText, tool } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { ReplyRequest } from '../../../src/agent/model/chat-model.ts';
import { LlmHostError } from '../../../src/errors.ts';
import { languageModel } from '../../../src/library/ai-sdk/language-model.ts';
import { STATS } from '../../agent/fakes.ts';
import { calls, says, scriptedModel } from '../fake-library-model.ts';

const add = tool({
  description: 'Adds',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
});

it('generateText: the whole text, its usage, and what was asked for', async () => {
  const { model, fake } = scriptedModel(says(' Hello.'));
  const { text, finishReason, usage, warnings } = await generateText({
    model: languageModel(model),
    system: 'Be brief.',
    prompt: 'Hi',
    temperature: 0.5,
    topK: 40,
    seed: 7,
    maxOutputTokens: 20,
    stopSequences: ['END'],
  });
  expect({ text, finishReason, warnings }).toEqual({ text: 'Hello.', finishReason: 'stop', warnings: [] });
  expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 5, totalTokens: 15 });
  expect(usage.inputTokenDetails).toMatchObject({ cacheReadTokens: 0, noCacheTokens: 10 });
  expect(fake.requests[0]).toMatchObject({
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ],
    sampling: { temperature: 0.5, topK: 40, seed: 7, stop: ['END'] },
  });
});

it('tools: the SDK runs them, and their results go back to the model', async () => {
  const { model, fake } = scriptedModel(calls('add', { a: 2, b: 3 }), says('It is 5.'));
  const result = await generateText({
    model: languageModel(model),
    prompt: '2 + 3?',
    tools: { add },
    stopWhen: stepCountIs(3),
  });
  expect(result.text).toBe('It is 5.');
  expect(result.steps[0]?.finishReason).toBe('tool-calls');
  expect(result.steps[0]?.toolResults).toMatchObject([{ toolName: 'add', output: { sum: 5 } }]);
  const [, assistant, answer] = fake.requests[1]?.messages ?? [];
  expect(assistant).toMatchObject({ tool_calls: [{ function: { name: 'add', arguments: { a: 2, b: 3 } } }] });
  expect(answer).toMatchObject({ role: 'tool', name: 'add', content: '{"sum":5}' });
  expect(fake.requests[0]?.tools.map(one => one.function.name)).toEqual(['add']);
});

it('a tool that fails is told to the model as an error', async () => {
  const broken = tool({
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }): Promise<string> => {
      throw new Error(`no ${path}`);
    },
  });
  const { model, fake } = scriptedModel(calls('broken', { path: 'x' }), says('Sorry.'));
  await generateText({
    model: languageModel(model),
    prompt: 'go',
    tools: { broken },
    stopWhen: stepCountIs(2),
  });
  expect(fake.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Error: no x' });
});

it('streamText: text, thinking and calls as they come', async () => {
  const { model } = scriptedModel(
    [
      { type: 'thinking', text: 'Add them.' },
      { type: 'content', text: 'One ' },
      { type: 'content', text: 'moment.' },
      { type: 'call', name: 'add', arguments: { a: 1, b: 1 }, raw: '' },
    ],
    says('2'),
  );
  const { fullStream } = streamText({
    model: languageModel(model),
    prompt: '1 + 1?',
    tools: { add },
    stopWhen: stepCountIs(2),
  });
  const types: string[] = [];
  for await (const part of fullStream) {
    if (part.type !== 'start-step' && part.type !== 'finish-step') types.push(part.type);
  }
  expect(types).toEqual([
    ...['start', 'reasoning-start', 'reasoning-delta', 'reasoning-end'],
    ...['text-start', 'text-delta', 'text-delta', 'text-end'],
    ...['tool-input-start', 'tool-input-delta', 'tool-input-end', 'tool-call', 'tool-result'],
    ...['text-start', 'text-delta', 'text-end', 'finish'],
  ]);
});

it('generateObject: JSON by its schema', async () => {
  const { model, fake } = scriptedModel(says('{"name":"Ann","age":7}'));
  Object.assign(fake, { canFollowFormat: true });
  const schema = z.object({ name: z.string(), age: z.number() });
  const { object } = await generateObject({ model: languageModel(model), schema, prompt: 'Who?' });
  expect(object).toEqual({ name: 'Ann', age: 7 });
  expect(fake.requests[0]?.responseFormat).toMatchObject({ type: 'json_schema' });
});

/** A model that speaks until it is stopped. */
function endlessModel() {
  const state = { ended: false };
  const { model } = scriptedModel(async function* ({ signal }: ReplyRequest) {
    try {
      while (!signal?.aborted) {
        yield { type: 'content' as const, text: 'on ' };
        await new Promise(resolve => setTimeout(resolve, 1));
      }
      return { ...STATS, finishReason: 'cancelled' as const };
    } finally {
      state.ended = true;
    }
  });
  return { of: languageModel(model), state };
}

it('an abort ends the reply', async () => {
  const stop = new AbortController();
  const { of, state } = endlessModel();
  const reply = generateText({ model: of, prompt: 'go on', abortSignal: stop.signal });
  setTimeout(() => stop.abort(), 20);
  await expect(reply).rejects.toMatchObject({ name: 'AbortError' });
  expect(state.ended).toBe(true);
});

it('a stream that is left early ends the reply', async () => {
  const { of, state } = endlessModel();
  const { stream } = await of.doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'go on' }] }],
  });
  for await (const part of stream) if (part.type === 'text-delta') break;
  await expect.poll(() => state.ended).toBe(true);
});

/** What a program that answers a browser gets: the chunks of its HTTP body, and what it is told. */
async function answered(...steps: Parameters<typeof scriptedModel>) {
  const errors: unknown[] = [];
  const { model } = scriptedModel(...steps);
  const result = streamText({
    model: languageModel(model),
    prompt: 'Hi',
    maxRetries: 0,
    onError: ({ error }) => void errors.push(error),
  });
  const body = await result.toUIMessageStreamResponse({ onError: error => `failed: ${error}` }).text();
  return { body, errors, result };
}

it('a streamed reply that fails at once: the error is told, the body is whole, there is no text', async () => {
  const { body, errors, result } = await answered(new Error('broken'));
  expect(errors).toMatchObject([{ code: 'UNEXPECTED', message: 'broken' }]);
  expect(body).toContain('{"type":"error","errorText":"failed: ');
  expect(body).toMatch(/\[DONE\]\s*$/);
  await expect(result.text).rejects.toThrow('No output generated');
});

it('a streamed reply that fails half-way: what was said, then the error', async () => {
  const { body, errors, result } = await answered(async function* () {
    yield { type: 'prefill' as const, done: 1, total: 1, cached: 0 };
    yield { type: 'content' as const, text: 'Half' };
    throw new LlmHostError('ENGINE', 'broken');
  });
  expect(errors).toMatchObject([{ code: 'ENGINE', message: 'broken' }]);
  const types = [...body.matchAll(/"type":"([a-z-]+)"/g)].map(([, type]) => type);
  expect(types).toEqual([
    ...['start', 'start-step', 'text-start', 'text-delta', 'text-end', 'error', 'finish-step', 'finish'],
  ]);
  expect([await result.text, await result.finishReason]).toEqual(['Half', 'error']);
});

it('a stream that is cancelled while it is read from ends the reply at once', async () => {
  const state = { reads: false, ended: false };
  const { model } = scriptedModel(async function* ({ signal }: ReplyRequest) {
    yield { type: 'prefill' as const, done: 1, total: 9, cached: 0 };
    state.reads = true;
    // It reads on until it is told to stop.
    await new Promise(resolve => signal?.addEventListener('abort', resolve));
    state.ended = true;
    return { ...STATS, finishReason: 'cancelled' as const };
  });
  const { stream } = await languageModel(model).doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'a long one' }] }],
  });
  const reader = stream.getReader();
  expect((await reader.read()).value?.type).toBe('stream-start');
  expect((await reader.read()).value?.type).toBe('response-metadata');
  const pending = reader.read();
  await expect.poll(() => state.reads).toBe(true);
  await reader.cancel();
  expect(state.ended).toBe(true);
  expect(await pending).toEqual({ done: true, value: undefined });
});

it('failures have their codes: of the model, of options, of images, of a closed model', async () => {
  const { model } = scriptedModel(new Error('broken'));
  const of = languageModel(model);
  const ask = (options: object) =>
    generateText({ model: of, prompt: 'Hi', maxRetries: 0, ...options }).then(
      () => undefined,
      (error: { code?: string; message: string }) => `${error.code}: ${error.message}`,
    );
  expect(await ask({})).toBe('UNEXPECTED: broken');
  expect(await ask({ temperature: 99 })).toMatch(/^USAGE: .*temperature/);
  const image = { type: 'image', image: new Uint8Array([1]), mediaType: 'image/png' };
  expect(await ask({ prompt: [{ role: 'user', content: [image] }] })).toMatch(/^USAGE: .*image\/png/);
  await model.close();
  expect(() => languageModel(model)).toThrow('is closed');
});
