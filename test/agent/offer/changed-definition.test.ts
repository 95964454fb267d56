import { expect, test } from 'vitest';
import type { ChatModel } from '../../../src/agent/model/chat-model.ts';
import { ToolOffer } from '../../../src/agent/offer/tool-offer.ts';
import type { Message } from '../../../src/chat/message.ts';
import type { HostTool } from '../../../src/mcp/tool-host.ts';

/** Four characters a token. */
const model = {
  contextLength: 32_768,
  countTokens: ({ messages, tools, listed = tools }) =>
    Math.ceil(JSON.stringify([messages, listed]).length / 4),
} as ChatModel;

function tool(name: string, description: string, argument: string): HostTool {
  const parameters = { type: 'object', properties: { [argument]: { type: 'string' } }, required: [argument] };
  return {
    definition: { type: 'function', function: { name, description, parameters } },
    server: 's',
    tool: name,
    readOnly: true,
  };
}

const others = Array.from({ length: 30 }, (_, i) =>
  tool(`other_${i}`, `Handles parcel ${i} for shipping`, 'n'),
);
const weather = (argument: string) => tool('get_weather', `Weather by ${argument}`, argument);
const music = (argument: string) => tool('find_music', `Finds music by ${argument}`, argument);
const user = (content: string): Message => ({ role: 'user', content });
const answer: Message = { role: 'assistant', content: 'ok' };
const offered = () => new ToolOffer({ model, budget: 300 });
/** All definitions in the prompt. */
const prompt = ({ listed, messages }: ReturnType<ToolOffer['next']>) => JSON.stringify([listed, messages]);

test('a definition at the head that its server changes is chosen anew', () => {
  const offer = offered();
  const first = [user('the weather in Paris')];
  expect(prompt(offer.next([weather('city'), ...others], first))).toContain('Weather by city');
  const second = [...first, answer, user('and in Rome?')];
  const later = prompt(offer.next([weather('latitude'), ...others], second));
  expect(later).not.toContain('Weather by city');
  // As what fits the latest prompt; the model may search for the others.
  const third = [...second, answer, user('the weather in Oslo')];
  const found = offer.next([weather('latitude'), ...others], third);
  expect(prompt(found)).toContain('Weather by latitude');
  expect(found.tools.find(({ tool }) => tool === 'get_weather')).toEqual(weather('latitude'));
});

test('so is one that came with a later prompt', () => {
  const offer = offered();
  const first = [user('the weather in Paris')];
  const second = [...first, answer, user('and find music')];
  offer.next([weather('city'), music('title'), ...others], first);
  const before = prompt(offer.next([weather('city'), music('title'), ...others], second));
  expect(before).toContain('Finds music by title');
  const after = prompt(offer.next([weather('city'), music('singer'), ...others], second));
  expect(after).not.toContain('by title');
  expect(after).toContain('Finds music by singer');
});

test('new objects of the same definitions, and changes of tools that are not offered, change nothing', () => {
  const offer = offered();
  const first = [user('the weather in Paris')];
  const before = offer.next([weather('city'), ...others], first);
  const again = structuredClone([weather('city'), ...others.slice(1), tool('other_0', 'Changed', 'm')]);
  const second = [...first, answer, user('thanks')];
  const after = offer.next(again, second);
  expect(after.listed).toEqual(before.listed);
  expect(after.messages).toEqual(second);
});

test('a prompt in another conversation shows what is added to it there', () => {
  const offer = offered();
  const all = [weather('city'), music('title'), ...others];
  const both = user('now the music and the weather');
  const last = ({ messages }: ReturnType<ToolOffer['next']>) => messages.at(-1)?.content;
  expect(last(offer.next(all, [user('find_music'), answer, both]))).toContain('Weather by city');
  expect(last(offer.next(all, [user('get_weather'), answer, both]))).toContain('Finds music by title');
});
