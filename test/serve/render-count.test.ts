import { describe, expect, test } from 'vitest';
import { answer, FakeHost } from '../agent/fakes.ts';
import { ask, chat, contentOf } from './asking.ts';
import { callText, question, type Script, type ServeOptions, serveScripted } from './scripted.ts';

const post = (url: string, path: string, body: object) =>
  fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });

const scripted = (options?: ServeOptions, script: Script = prompt => question(prompt)) =>
  serveScripted(script, options);

describe('each prompt is rendered once', () => {
  test.each([
    ['/v1/chat/completions', ask('Hi')],
    ['/v1/chat/completions', ask('Hi', { reasoning_effort: 'none' })],
    ['/v1/responses', { input: 'Hi' }],
    ['/v1/responses', { input: 'Hi', truncation: 'auto' }],
    ['/api/chat', ask('Hi', { model: 'scripted', stream: false, think: true })],
    ['/api/generate', { model: 'scripted', prompt: 'Hi', stream: false }],
  ])('by %s', async (path, body) => {
    const { url, renders, engine } = await scripted();
    expect((await post(url, path, body)).status).toBe(200);
    expect(engine.requests).toHaveLength(1);
    expect(renders.count).toBe(1);
  });

  test('also when several requests wait for the engine', async () => {
    const { url, renders } = await scripted();
    const texts = ['one', 'two', 'three', 'four'];
    const replies = await Promise.all(texts.map(async text => contentOf(await chat(url, ask(text)))));
    expect(replies).toEqual(texts);
    expect(renders.count).toBe(texts.length);
  });

  test('and once for each round of tool calls', async () => {
    const tools = new FakeHost({ now: answer('noon') });
    const script: Script = prompt => (prompt.includes('noon') ? 'It is noon.' : callText('now', {}));
    const { url, renders } = await scripted({ turns: { tools } }, script);
    expect(await contentOf(await chat(url, ask('What time is it?')))).toBe('It is noon.');
    expect(tools.calls).toHaveLength(1);
    expect(renders.count).toBe(2);
  });

  test('a conversation that is too long is counted and refused', async () => {
    const { url, renders, engine } = await scripted({ contextLength: 40 });
    expect((await chat(url, ask('word '.repeat(20)))).status).toBe(400);
    expect([renders.count, engine.requests.length]).toEqual([1, 0]);
  });
});
