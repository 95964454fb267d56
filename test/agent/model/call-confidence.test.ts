import { describe, expect, test } from 'vitest';
import type { ReplyRequest } from '../../../src/agent/model/chat-model.ts';
import type { LocalChatModel } from '../../../src/agent/model/local-model.ts';
import type { Message, ToolDefinition } from '../../../src/chat/message.ts';
import { scriptedModel, tokenizer } from '../../serve/scripted.ts';

const USER: Message = { role: 'user', content: 'What is the time?' };
const CLOCK: ToolDefinition = { type: 'function', function: { name: 'clock', parameters: {} } };
const HERMES = '{{ messages[0].content }}<tool_call>';

/** The token that a call would begin with, as the engine was told. */
async function callStart(options: Partial<ReplyRequest>, template = HERMES, callConfidence = 0.9) {
  const { chat, engine } = scriptedModel('x', () => 'Noon.', { template, callConfidence });
  await drain(chat, { messages: [USER], tools: [CLOCK], sampling: {}, ...options });
  return engine.requests[0]?.callStart;
}

async function drain(model: LocalChatModel, request: ReplyRequest): Promise<void> {
  for await (const _ of model.reply(request));
}

describe('a reply that may begin with a call only if that is likely', () => {
  test('has the token that a call begins with, in the format of the model', async () => {
    const [opener] = tokenizer.encode('<tool_call>', { special: true });
    expect(await callStart({})).toEqual({ token: opener, confidence: 0.9 });
    const [mistral] = tokenizer.encode('[TOOL_CALLS]', { special: true });
    expect(await callStart({}, '{{ messages[0].content }}[TOOL_CALLS]')).toMatchObject({ token: mistral });
  });

  test.each<[string, Partial<ReplyRequest>]>([
    ['there is nothing to call', { tools: [] }],
    ['a call is asked for', { toolChoice: 'required' }],
    ['a call of one tool is asked for', { toolChoice: { name: 'clock' } }],
    ['a text goes on', { text: 'Once' }],
  ])('has none where %s', async (_, options) => {
    expect(await callStart(options)).toBeUndefined();
  });

  test('has none by a model that calls as readily as it likes', async () => {
    expect(await callStart({}, HERMES, 0)).toBeUndefined();
  });
});
