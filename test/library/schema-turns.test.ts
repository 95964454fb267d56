import { expect, it } from 'vitest';
import { z } from 'zod';
import type { ReplyRequest } from '../../src/agent/model/chat-model.ts';
import { tool } from '../../src/library/function-host.ts';
import { asksForSummary } from '../agent/context/talk.ts';
import { STATS } from '../agent/fakes.ts';
import { calls, says, scriptedModel } from './fake-library-model.ts';

const schema = z.object({ name: z.string() });
const read = tool({
  description: 'Reads',
  parameters: { type: 'object', properties: {} },
  run: () => `${'x'.repeat(5000)} The end.`,
});

it('a long result can be read on in a reply by a schema, and one from there in the next', async () => {
  const { model, fake } = scriptedModel(
    calls('read', {}),
    says('It is long.'),
    async function* ({ messages }) {
      const reference = /"result": "(\w+)"/.exec(messages.map(({ content }) => content).join())?.[1];
      yield* calls('read_result', { result: reference, part: 2 });
      return { ...STATS };
    },
    says('{"name": "end"}'),
    says('Done.'),
  );
  fake.contextLength = 4096;
  fake.countTokens = () => 10;
  const chat = model.chat({ tools: { read } });
  await chat.send('Read it.');
  const { value, calls: made } = await chat.send('How does it end?', { schema });
  expect(made).toMatchObject([{ name: 'read_result', result: expect.stringContaining('The end.') }]);
  expect(value).toEqual({ name: 'end' });
  await chat.send('And?');
  expect(fake.requests.at(-1)?.tools.map(({ function: { name } }) => name)).toEqual(['read', 'read_result']);
});

it('only a reply by a schema is held to it, and each is asked to think as the chat is', async () => {
  const { model, fake } = scriptedModel(says('a'), says('{"name": "b"}'), says('c'));
  Object.assign(fake, { canFollowFormat: true });
  const chat = model.chat({ thinking: false });
  await chat.send('1');
  await chat.send('2', { schema });
  await chat.send('3');
  const asked = fake.requests.map(({ responseFormat, thinking }) => [responseFormat?.type, thinking]);
  expect(asked).toEqual([
    [undefined, false],
    ['json_schema', false],
    [undefined, false],
  ]);
});

it('the oldest turns become a summary before a reply by a schema too', async () => {
  const replies = Array.from(
    { length: 10 },
    () =>
      async function* (request: ReplyRequest) {
        yield* says(asksForSummary(request) !== undefined ? 'They talked.' : '{"name": "b"}');
        return STATS;
      },
  );
  const { model, fake } = scriptedModel(...replies);
  fake.contextLength = 4000;
  const chat = model.chat();
  await chat.send(`1 ${'x'.repeat(1500)}`, { schema });
  await chat.send(`2 ${'x'.repeat(1500)}`, { schema });
  const { value } = await chat.send(`3 ${'y'.repeat(800)}`, { schema });
  expect(value).toEqual({ name: 'b' });
  expect(chat.messages[0]?.content).toMatch(/^Summary of our conversation so far:\nThey talked\./);
  expect(chat.messages.at(-2)?.content).toMatch(/^3 y/);
  await chat.send('And?');
  expect(chat.messages.at(-2)?.content).toBe('And?');
});

it('a question that cannot be counted is not kept', async () => {
  const { model, fake } = scriptedModel();
  fake.countTokens = () => {
    throw new Error('no template');
  };
  const chat = model.chat();
  await expect(chat.send('1', { schema }).then(reply => reply)).rejects.toThrow('no template');
  expect(chat.messages).toEqual([]);
});
