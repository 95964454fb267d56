import { expect, test } from 'vitest';
import type { ChatModel } from '../../../src/agent/model/chat-model.ts';
import { offeredEvent, ToolOffer } from '../../../src/agent/offer/tool-offer.ts';
import type { Message } from '../../../src/chat/message.ts';
import type { HostTool } from '../../../src/mcp/tool-host.ts';

/** A token is a character of the prompt's JSON. */
const model = {
  contextLength: 10_000,
  countTokens: ({ messages, tools, listed = tools }) => JSON.stringify([messages, listed]).length,
} as ChatModel;

function tool(name: string, description: string): HostTool {
  const parameters = { type: 'object', properties: { value: { type: 'string' } } };
  return {
    definition: { type: 'function', function: { name, description, parameters } },
    server: 'one',
    tool: name,
    readOnly: true,
  };
}

const TOPICS = [
  'weather',
  'music',
  'recipes',
  'trains',
  'stars',
  'birds',
  'chess',
  'poems',
  'taxes',
  'roses',
];
const tools = TOPICS.map(topic => tool(`find_${topic}`, `Finds ${topic} in the large book of ${topic}`));
const user = (content: string): Message => ({ role: 'user', content });
const names = (list: readonly HostTool[]) => list.map(({ definition }) => definition.function.name);
const BUDGET = 1000;

test('within the budget all are offered in their own order, above it those that fit and the search', () => {
  expect(new ToolOffer({ model, budget: 9000 }).next(tools, [user('hi')])).toMatchObject({
    tools,
    total: 10,
  });
  expect(new ToolOffer({ model, budget: 0 }).next(tools, [user('hi')]).tools).toEqual(tools);
  const offer = new ToolOffer({ model, budget: BUDGET });
  const { tools: offered, listed, messages } = offer.next(tools, [user('How is the weather for birds?')]);
  expect(names(offered)).toEqual(['search_tools', 'find_weather', 'find_birds']);
  expect(listed).toHaveLength(3);
  expect(messages).toEqual([user('How is the weather for birds?')]);
  expect(offer.meter.all(listed)).toBeLessThanOrEqual(BUDGET);
});

test('later tools stand behind what the model has read, and none is taken out', () => {
  const offer = new ToolOffer({ model, budget: BUDGET });
  const history: Message[] = [user('weather please')];
  const first = offer.next(tools, history);
  history.push({ role: 'assistant', content: 'Sunny.' }, user('and now some chess'));
  const second = offer.next(tools, history);
  expect(second.listed).toEqual(first.listed);
  expect(second.messages.slice(0, 2)).toEqual(history.slice(0, 2));
  expect(second.messages[2]?.content).toMatch(/^You can also call these tools:\n\{"name":"find_chess"/);
  expect(second.messages[2]?.content).toMatch(/\n\nand now some chess$/);
  expect(names(second.tools)).toEqual(['search_tools', 'find_weather', 'find_chess']);
  history.push({ role: 'assistant', content: 'e4' }, user('thanks'));
  const third = offer.next(tools, history);
  expect(third.messages.slice(0, 3)).toEqual(second.messages);
  // The same question a second time brings nothing new.
  history.push({ role: 'assistant', content: 'ok' }, user('more chess'));
  expect(offer.next(tools, history).messages.at(-1)).toEqual(user('more chess'));
  // A new conversation starts over.
  expect(names(offer.next(tools, [user('roses')]).tools)).toEqual(['search_tools', 'find_roses']);
});

test('what was called, named or pinned is offered, and a client’s own tools always', () => {
  const offer = new ToolOffer({ model, budget: BUDGET, always: new Set(['find_taxes']) });
  offer.pin('find_poems');
  expect(names(offer.next(tools, [user('use find_stars')]).tools)).toEqual(
    expect.arrayContaining(['search_tools', 'find_stars', 'find_poems', 'find_taxes']),
  );
  const called: Message = {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: '1', type: 'function', function: { name: 'find_trains', arguments: {} } }],
  };
  expect(names(offer.next(tools, [user('x'), called]).tools)).toContain('find_trains');
  expect(offer.unpin('find_poems')).toBe(true);
  expect(offer.unpin('find_poems')).toBe(false);
  expect(names(offer.next(tools, [user('roses')]).tools)).not.toContain('find_poems');
});

test('a server can be pinned with all its tools', () => {
  const own = ['find_maps', 'find_coins'].map(name => ({ ...tool(name, 'Finds things'), server: 'two' }));
  const offer = new ToolOffer({ model, budget: BUDGET, pinned: ['two', 'find_poems', 'nothing'] });
  expect(names(offer.next([...tools, ...own], [user('roses')]).tools)).toEqual(
    expect.arrayContaining(['find_maps', 'find_coins', 'find_poems', 'find_roses']),
  );
});

test('a client’s own tools alone are all offered, whatever they take', () => {
  const offer = new ToolOffer({ model, budget: 10, always: new Set(names(tools)) });
  expect(offer.next(tools, [user('x')]).tools).toEqual(tools);
});

test('the model finds others by search_tools, and can call them from then on', async () => {
  const offer = new ToolOffer({ model, budget: BUDGET });
  const host = offer.joined({
    tools: () => tools,
    servers: () => [],
    call: async () => ({ text: 'the server', isError: false }),
    close: async () => undefined,
  });
  const call = (query: unknown) => host.call('search_tools', { query }, { timeoutMs: 1000 });
  // Not offered yet: a server may have a tool of that name.
  expect((await call('music')).text).toBe('the server');
  const history: Message[] = [user('roses')];
  offer.next(tools, history);
  const { text } = await call('some music');
  expect(text).toMatch(/^You can call these tools now:\n\{"name":"find_music"/);
  expect((await call('zebra')).text).toBe('No tool fits. Try other words, or answer without one.');
  expect((await call(7)).text).toMatch(/^No tool fits/);
  history.push({ role: 'tool', content: text, tool_call_id: '1', name: 'search_tools' });
  expect(names(offer.next(tools, history).tools)).toEqual(['search_tools', 'find_music', 'find_roses']);
});

test('a server that has a search_tools of its own keeps the name', async () => {
  const theirs = [...tools, tool('search_tools', 'Searches the garage for roses')];
  const offer = new ToolOffer({ model, budget: BUDGET });
  const host = offer.joined({
    tools: () => theirs,
    servers: () => [],
    call: async () => ({ text: 'the garage', isError: false }),
    close: async () => undefined,
  });
  expect(names(offer.next(theirs, [user('music')]).tools)).toContain('llm_host_search_tools');
  const call = async (name: string) => (await host.call(name, { query: 'music' }, { timeoutMs: 1000 })).text;
  expect(await call('search_tools')).toBe('the garage');
  expect(await call('llm_host_search_tools')).toMatch(/"name":"find_music"/);
});

test('when too many have come up, the tools are chosen anew for the latest prompt', () => {
  const offer = new ToolOffer({ model, budget: BUDGET });
  const history: Message[] = [];
  let most = 0;
  for (const topic of [...TOPICS, ...TOPICS]) {
    history.push(user(`Tell me about ${topic}`), { role: 'assistant', content: 'Done.' });
    const { tokens, tools: offered } = offer.next(tools, history);
    most = Math.max(most, tokens);
    expect(names(offered)).toContain(`find_${topic}`);
  }
  expect(most).toBeLessThanOrEqual(2 * BUDGET);
});

test('an event tells a choice once, and what is new in it', () => {
  const offer = new ToolOffer({ model, budget: BUDGET });
  const history: Message[] = [user('weather')];
  const first = offer.next(tools, history);
  expect([...offeredEvent(undefined, first)]).toMatchObject([
    {
      names: ['search_tools', 'find_weather'],
      added: ['search_tools', 'find_weather'],
      budget: BUDGET,
      total: 10,
    },
  ]);
  expect([...offeredEvent(first, offer.next(tools, history))]).toEqual([]);
  history.push({ role: 'assistant', content: '' }, user('chess'));
  expect([...offeredEvent(first, offer.next(tools, history))]).toMatchObject([{ added: ['find_chess'] }]);
  const all = new ToolOffer({ model, budget: 9000 }).next(tools, history);
  expect([...offeredEvent(first, all)]).toEqual([]);
});

test('tools that come and go between prompts', () => {
  const offer = new ToolOffer({ model, budget: BUDGET });
  const history: Message[] = [user('weather and chess')];
  offer.next(tools, history);
  const gone = tools.filter(({ tool: name }) => name !== 'find_chess');
  expect(names(offer.next(gone, history).tools)).toEqual(['search_tools', 'find_weather']);
  expect(offer.next([], history)).toMatchObject({ tools: [], listed: [], tokens: 0 });
});
