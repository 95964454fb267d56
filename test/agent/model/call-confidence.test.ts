import { describe, expect, test } from 'vitest';
import type { ReplyRequest } from '../../../src/agent/model/chat-model.ts';
import type { LocalChatModel } from '../../../src/agent/model/local-model.ts';
import type { Message, ToolDefinition } from '../../../src/chat/message.ts';
import { scriptedModel, tokenizer } from '../../serve/scripted.ts';

const USER: Message = { role: 'user', content: 'What is the time?' };
const CLOCK: ToolDefinition = { type: 'function', function: { name: 'clock', parameters: {} } };
const SURE = { callConfidence: 0.9 };
const HERMES = '{{ messages[0].content }}<tool_call>';

/** The token that a call would begin with, as the engine was told. */
async function callStart(options: Partial<ReplyRequest>, template = HERMES): Promise<number | undefined> {
  const { chat, engine } = scriptedModel('x', () => 'Noon.', { template });
  await drain(chat, { messages: [USER], tools: [CLOCK], sampling: SURE, ...options });
  return engine.requests[0]?.callStart;
}

async function drain(model: LocalChatModel, request: ReplyRequest): Promise<void> {
  for await (const _ of model.reply(request));
}

describe('a reply that may begin with a call only if that is likely', () => {
  test('has the token that a call begins with, in the format of the model', async () => {
    const [opener] = tokenizer.encode('<tool_call>', { special: true });
    expect(await callStart({})).toBe(opener);
    const [mistral] = tokenizer.encode('[TOOL_CALLS]', { special: true });
    expect(await callStart({}, '{{ messages[0].content }}[TOOL_CALLS]')).toBe(mistral);
  });

  test.each<[string, Partial<ReplyRequest>]>([
    ['no confidence is asked for', { sampling: {} }],
    ['it is 0', { sampling: { callConfidence: 0 } }],
    ['there is nothing to call', { tools: [] }],
    ['a call is asked for', { toolChoice: 'required' }],
    ['a call of one tool is asked for', { toolChoice: { name: 'clock' } }],
    ['a text goes on', { text: 'Once' }],
  ])('has none where %s', async (_, options) => {
    expect(await callStart(options)).toBeUndefined();
  });

  test('1 is out of range: no call would ever be made', async () => {
    await expect(callStart({ sampling: { callConfidence: 1 } })).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('callConfidence must be a number of at least 0 and below 1'),
    });
  });
});
