import { expect, test } from 'vitest';
import type { ChatModel } from '../../../src/agent/model/chat-model.ts';
import { ToolMeter } from '../../../src/agent/offer/tool-budget.ts';
import { ToolOffer, type ToolOfferOptions } from '../../../src/agent/offer/tool-offer.ts';
import { Rankings } from '../../../src/agent/offer/tool-ranking.ts';
import { DEMO_CONFIG } from '../../../src/cli/settings/demo.ts';
import type { HostTool } from '../../../src/mcp/tool-host.ts';
import { crowd, demoCounter, demoTools, ownRequests, type Question, questions } from './crowd.ts';

const BUDGET = 1500;
const counter = demoCounter();
const tools = crowd();
const rankings = new Rankings();
const model = { contextLength: 8192, countTokens: request => counter.count(request) } as ChatModel;

/** What the demo has by default: 12 tools at most, and its own first. */
const small = { ...model, parameters: 135e6 } as ChatModel;

function missedOf(asked: readonly Question[], all: readonly HostTool[], options: Partial<ToolOfferOptions>) {
  const shared = { meter: new ToolMeter(small), rankings };
  const missed: string[] = [];
  let listed = 0;
  for (const { text, right } of asked) {
    const offer = new ToolOffer({ model: small, shared, ...options }).next(all, [
      { role: 'user', content: text },
    ]);
    listed += offer.listed.length;
    if (!offer.tools.some(tool => right.includes(`${tool.server}/${tool.tool}`))) missed.push(text);
  }
  return { missed, listed: listed / asked.length };
}

test.each(['tuned', 'held out'] as const)('and among twelve for a small model, %s half', half => {
  const { missed, listed } = missedOf(questions(half), tools, {});
  expect(missed.length).toBeLessThanOrEqual(3);
  expect(listed).toBeLessThanOrEqual(13);
});

test("the demo's own tools, beside the crowd: always there, and few others with them", () => {
  const { pinned } = DEMO_CONFIG.tools ?? {};
  const { missed, listed } = missedOf(ownRequests(), crowd(demoTools()), { pinned });
  expect(missed).toEqual([]);
  expect(listed).toBeLessThan(13);
});

test('and not pinned', () => {
  expect(missedOf(ownRequests(), crowd(demoTools()), {}).missed.length).toBeLessThanOrEqual(4);
});

test.each(['tuned', 'held out'] as const)('the right tool of the crowd is offered, %s half', half => {
  const missed: string[] = [];
  const shared = { meter: new ToolMeter(model), rankings };
  let most = 0;
  for (const { text, right } of questions(half)) {
    const offer = new ToolOffer({ model, budget: BUDGET, shared });
    const { tools: offered, listed } = offer.next(tools, [{ role: 'user', content: text }]);
    most = Math.max(most, offer.meter.all(listed));
    if (!offered.some(tool => right.includes(`${tool.server}/${tool.tool}`))) missed.push(text);
  }
  expect(most).toBeLessThanOrEqual(BUDGET);
  expect(missed.length).toBeLessThanOrEqual(3);
});
