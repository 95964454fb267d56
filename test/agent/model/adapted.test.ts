import { describe, expect, test } from 'vitest';
import type { ReplyRequest } from '../../../src/agent/model/chat-model.ts';
import type { Message, ToolDefinition } from '../../../src/chat/message.ts';
import { scriptedModel } from '../../serve/scripted.ts';

const USER: Message = { role: 'user', content: 'What is the time?' };
const CLOCK: ToolDefinition = { type: 'function', function: { name: 'clock', parameters: {} } };
const CALLED: readonly Message[] = [
  USER,
  {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: '1', type: 'function', function: { name: 'clock', arguments: {} } }],
  },
  { role: 'tool', tool_call_id: '1', name: 'clock', content: '12:00' },
];

/** Whether the engine was asked to apply adapters that are meant for tools. */
async function adapted(options: Partial<ReplyRequest>, optional = true): Promise<boolean | undefined> {
  const { chat, engine } = scriptedModel('x', () => 'Noon.', { template: '{{ messages[0].content }}' });
  if (optional) Object.assign(engine.info, { adaptersOptional: true });
  const request = { messages: [USER], tools: [], sampling: {}, ...options };
  for await (const _ of chat.reply(request));
  return engine.requests[0]?.adapted;
}

describe('an adapter that is meant for tools', () => {
  test.each<[boolean, string, Partial<ReplyRequest>]>([
    [false, 'nothing is listed', {}],
    [true, 'a tool is listed', { tools: [CLOCK] }],
    [true, 'the messages define the tools', { tools: [CLOCK], listed: [] }],
    [true, 'a tool was called before', { messages: CALLED }],
    [true, 'a text goes on, which may list tools in its own way', { text: 'Once' }],
  ])('%s where %s', async (expected, _, options) => {
    expect(await adapted(options)).toBe(expected);
  });

  test('others always apply', async () => {
    expect(await adapted({}, false)).toBeUndefined();
  });
});
