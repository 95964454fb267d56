import { expect, test } from 'vitest';
import type { ChatModel } from '../../../src/agent/model/chat-model.ts';
import { ToolMeter } from '../../../src/agent/offer/tool-meter.ts';
import { ToolOffer } from '../../../src/agent/offer/tool-offer.ts';
import { Rankings } from '../../../src/agent/offer/tool-ranking.ts';
import { crowd, demoCounter, questions } from './crowd.ts';

const BUDGET = 1500;
const counter = demoCounter();
const tools = crowd();
const rankings = new Rankings();
const model = { contextLength: 8192, countTokens: request => counter.count(request) } as ChatModel;

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
