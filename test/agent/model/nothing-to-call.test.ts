import { describe, expect, test } from 'vitest';
import { writeSummary } from '../../../src/agent/context/write-summary.ts';
import type { ReplyEvent } from '../../../src/agent/model/chat-model.ts';
import { LocalChatModel } from '../../../src/agent/model/local-model.ts';
import { probeTemplate } from '../../../src/chat/capability.ts';
import type { Message, ToolDefinition } from '../../../src/chat/message.ts';
import { compileTemplate } from '../../../src/chat/template.ts';
import { FORMATS, formatNamed } from '../../../src/parse/formats/table.ts';
import type { CallFormatChoice } from '../../../src/parse/types/call-format-choice.ts';
import { chat } from '../../serve/asking.ts';
import { ScriptedEngine, scriptedModel, serveScripted, tokenizer } from '../../serve/scripted.ts';

const HERMES =
  'Calls look so:\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>\nAs shown.';
const LLAMA = '{"name": "get_weather", "description": "The weather", "parameters": {"type": "object"}}';
const MARKS = {
  hermes: '{{ messages[0].content }}<tool_call>',
  llama: '{{ messages[0].content }}<|python_tag|>',
};
const USER: Message = { role: 'user', content: 'What does a call look like?' };
const OTHER: ToolDefinition = { type: 'function', function: { name: 'other', parameters: {} } };

async function said(
  model: LocalChatModel,
  messages: readonly Message[] = [USER],
  tools: readonly ToolDefinition[] = [],
) {
  const events: ReplyEvent[] = [];
  for await (const event of model.reply({ messages, tools, sampling: {} })) events.push(event);
  const content = events.map(event => (event.type === 'content' ? event.text : '')).join('');
  const types = new Set(events.map(event => event.type).filter(type => type !== 'prefill'));
  return { content, types: [...types] };
}

function modelOf(text: string, toolCalls: CallFormatChoice) {
  const source = '{{ messages[0].content }}';
  const compiled = compileTemplate(source);
  const template = { compiled, source, capability: probeTemplate(compiled) };
  const engine = new ScriptedEngine(() => text);
  return new LocalChatModel({ engine, tokenizer, template, now: new Date(0), toolCalls });
}

describe('with nothing to call, what looks like a call is text', () => {
  test.each([
    ['hermes', HERMES, MARKS.hermes],
    ['llama-3', LLAMA, MARKS.llama],
  ])('%s', async (_, text, template) => {
    const { chat: model } = scriptedModel('x', () => text, { template });
    expect(await said(model)).toEqual({ content: text, types: ['content'] });
  });

  test.each(FORMATS.filter(({ channels }) => channels === undefined))('$id, marks and all', async format => {
    const written = format.writeCalls([{ name: 'f', arguments: { a: 1 } }]);
    const structure = [...(format.structure ?? [])].sort((a, b) => b.length - a.length);
    const shown = structure.reduce((text, mark) => text.replaceAll(mark, ''), written);
    expect(await said(modelOf(written, { format }))).toEqual({ content: shown, types: ['content'] });
  });

  test("a model's own response_template", async () => {
    const calls = { open: '<tool_call>', close: '</tool_call>', content: 'json' };
    const responseTemplate = { fields: { tool_calls: calls, content: {} } };
    expect(await said(modelOf(HERMES, { responseTemplate }))).toEqual({
      content: HERMES,
      types: ['content'],
    });
    expect((await said(modelOf(HERMES, { responseTemplate }), [USER], [OTHER])).types).toContain('call');
  });

  test('but not once the conversation has had calls: their tools may have gone away', async () => {
    const call = { id: '1', type: 'function', function: { name: 'get_weather', arguments: {} } } as const;
    const before: Message[] = [
      USER,
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', content: 'Sunny.', name: 'get_weather', tool_call_id: '1' },
    ];
    const format = formatNamed('hermes');
    const model = modelOf(HERMES, format ? { format } : {});
    expect((await said(model, before)).types).toContain('call');
  });

  test('and not in a summary, which leaves calls out', async () => {
    const replies = ['', 'It is sunny in Oslo.'].map(
      text => `<tool_call>\n{"name": "get_weather", "arguments": {}}\n</tool_call>${text}`,
    );
    const { chat: model, engine } = scriptedModel('x', () => replies.shift() ?? '', {
      template: MARKS.hermes,
    });
    const asRead = { messages: [USER], tools: [OTHER] };
    const summary = await writeSummary(model, [[USER]], { asRead, before: '', maxTokens: 100 });
    expect([summary, engine.requests.length]).toEqual(['It is sunny in Oslo.', 2]);
  });

  test('over HTTP: one reply, as it stands', async () => {
    for (const [text, template] of [
      [HERMES, MARKS.hermes],
      [LLAMA, MARKS.llama],
    ] as const) {
      const { url, engine } = await serveScripted(() => text, { template });
      const reply = await chat(url, { messages: [{ role: 'user', content: 'Hi' }] });
      expect(await reply.json()).toMatchObject({
        choices: [{ message: { content: text }, finish_reason: 'stop' }],
      });
      expect(engine.requests).toHaveLength(1);
    }
  });
});
