import { describe, expect, test } from 'vitest';
import { contextParts, partsHint, partsText } from '../../../src/agent/context/context-parts.ts';
import { LlmHostError } from '../../../src/errors.ts';
import { answer, FakeHost } from '../fakes.ts';
import { talk } from './talk.ts';

describe('what takes the room', () => {
  const { model, history, agent } = talk({ tools: new FakeHost({ a: answer(''), b: answer('') }) });

  test('is measured part by part', () => {
    expect(agent.contextParts()).toEqual({
      total: 49,
      system: 3,
      tools: 40,
      summary: 0,
      results: 0,
      conversation: 6,
    });
    history.add(
      { role: 'user', content: 'x'.repeat(40) },
      { role: 'tool', tool_call_id: '1', name: 'a', content: 'y'.repeat(400) },
    );
    const parts = agent.contextParts();
    expect(parts).toEqual({ total: 162, system: 3, tools: 40, summary: 0, results: 100, conversation: 19 });
    expect(partsText(parts)).toBe(
      "tools' results 100, the tools' definitions 40, the conversation 19, the system prompt 3",
    );
    expect(partsHint(parts)).toContain('maxResultChars');
  });

  test('the summary is a part of its own', () => {
    const messages = [
      { role: 'user', content: 'x'.repeat(400) },
      { role: 'assistant', content: 'Thank you.' },
      { role: 'user', content: 'And?' },
    ] as const;
    const parts = contextParts(model, { messages, tools: [], summarized: true });
    expect(parts).toMatchObject({ summary: 100, conversation: 13, total: 113 });
  });
});

test('of a prompt many times too long they are estimated, with one count', () => {
  const { model } = talk();
  let counts = 0;
  const messages = [{ role: 'user', content: 'x'.repeat(40_000) }] as const;
  const counting = {
    contextLength: 1000,
    countTokens: (request: Parameters<typeof model.countTokens>[0]) => {
      counts += 1;
      return model.countTokens(request);
    },
  };
  expect(contextParts(counting, { messages, tools: [] })).toMatchObject({
    total: 10_003,
    conversation: 10_000,
  });
  expect(counts).toBe(1);
});

describe('a context that is full', () => {
  test.each([
    [
      {
        toolBudget: 0,
        tools: new FakeHost(
          Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`t${at}`, answer('')])),
        ),
      },
      'Hi',
      "the tools' definitions 1200, the conversation 7, the system prompt 3",
      'Offer fewer tools',
    ],
    [
      {},
      'x'.repeat(4400),
      "the conversation 1106, the tools' definitions 20, the system prompt 3",
      'Shorten the prompt',
    ],
  ])('ends the turn and says what takes the room and what to do', async (options, prompt, said, hint) => {
    const one = talk({
      ...options,
      reply: () => {
        throw new LlmHostError('CONTEXT_FULL', 'The prompt has 1209 tokens, but the context holds 1000');
      },
    });
    expect((await one.ask(prompt)).at(-1)).toEqual({
      type: 'error',
      code: 'CONTEXT_FULL',
      hint: expect.stringContaining(hint),
      message: `The prompt has 1209 tokens, but the context holds 1000: ${said}`,
    });
    expect(one.history.messages).toHaveLength(1);
  });
});
