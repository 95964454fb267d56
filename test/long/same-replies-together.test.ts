import { expect, test } from 'vitest';
import type { ReplyRequest } from '../../src/agent/model/chat-model.ts';
import type { ToolDefinition } from '../../src/chat/message.ts';

const REQUESTS = 200;
const PARALLEL = [2, 4, 8, 16];
const TOPICS = 'rain rivers bread clocks bees maps salt music trains snow'.split(' ');

const TOOLS: readonly ToolDefinition[] = ['weather', 'price', 'distance'].map(name => ({
  type: 'function',
  function: {
    name,
    description: `Looks up the ${name}`,
    parameters: {
      type: 'object',
      properties: { of: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 9 } },
      required: ['of'],
    },
  },
}));

const SCHEMA = {
  type: 'object',
  properties: { title: { type: 'string', maxLength: 20 }, count: { type: 'integer' } },
  required: ['title', 'count'],
  additionalProperties: false,
};

/** Numbers from 0 up to `limit`, the same for the same seed. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return limit => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Free, with a grammar for the answer or for calls, with calls that are asked for; greedy and seeded. */
function randomRequest(index: number, below: (limit: number) => number): ReplyRequest {
  const topic = TOPICS[below(TOPICS.length)] ?? '';
  const kind = below(4);
  return {
    messages: [
      { role: 'system', content: 'You are a helpful assistant.' },
      { role: 'user', content: `Question ${below(20)}: tell me about ${topic} in ${below(9)} words.` },
    ],
    tools: kind === 1 || kind === 2 ? TOOLS : [],
    ...(kind === 1 && { constrainCalls: true }),
    ...(kind === 2 && { toolChoice: 'required' as const }),
    ...(kind === 3 && {
      responseFormat: { type: 'json_schema' as const, schema: SCHEMA },
    }),
    sampling: {
      maxTokens: 4 + below(36),
      reproducible: true,
      seed: index,
      temperature: below(2),
      ...(below(3) === 0 && { repetitionPenalty: 1.2 }),
      ...(below(3) === 0 && { frequencyPenalty: 0.4 }),
      ...(below(3) === 0 && { stop: [['.', 'the', ','][below(3)] ?? '.'] }),
      ...(below(3) === 0 && { lookup: false }),
    },
  };
}

test('200 replies, free, with grammars, tools, penalties and stops, are the same alone and together', {
  timeout: 3_600_000,
}, async () => {
  // The grammars' thread is a file that was built.
  const path = new URL('../../dist/run/open-local-model.js', import.meta.url).href;
  const { openLocalModel } = (await import(path)) as typeof import('../../src/run/open-local-model.ts');
  const opened = await openLocalModel(
    { kind: 'demo', text: 'demo' },
    {
      contextLength: 1024,
      kvBits: undefined,
      parallel: 16,
      cacheBytes: 2 ** 28,
      onProgress: () => undefined,
      onDownload: () => undefined,
      onWait: () => undefined,
      cwd: process.cwd(),
      env: process.env,
    },
  );
  try {
    const below = numbers(7);
    const requests = Array.from({ length: REQUESTS }, (_, index) => randomRequest(index, below));
    /** What was said, as events; `leavesAfter`: after so many of them. */
    const said = async (request: ReplyRequest, leavesAfter = Number.POSITIVE_INFINITY) => {
      const stop = new AbortController();
      const events: unknown[] = [];
      for await (const event of opened.model.reply({ ...request, signal: stop.signal })) {
        if (event.type !== 'prefill') events.push(event);
        if (events.length >= leavesAfter) stop.abort();
      }
      return events;
    };
    const alone: unknown[][] = [];
    for (const request of requests) alone.push(await said(request));
    expect(new Set(alone.map(events => JSON.stringify(events))).size).toBeGreaterThan(REQUESTS / 3);
    let next = 0;
    for (const parallel of PARALLEL) {
      const end = next + REQUESTS / PARALLEL.length;
      const client = async () => {
        while (next < end) {
          const index = next++;
          const leavesAfter = below(4) === 0 ? 1 + below(8) : Number.POSITIVE_INFINITY;
          const events = await said(requests[index] as ReplyRequest, leavesAfter);
          const expected = alone[index] as unknown[];
          // One that left early may have a part of its last event less.
          const whole = leavesAfter > expected.length;
          const told = whole ? events : events.slice(0, leavesAfter - 1);
          expect(told, `reply ${index}`).toEqual(whole ? expected : expected.slice(0, leavesAfter - 1));
        }
      };
      await Promise.all(Array.from({ length: parallel }, client));
    }
  } finally {
    await opened.close();
  }
});
