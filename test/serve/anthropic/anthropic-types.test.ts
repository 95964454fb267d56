import type Anthropic from '@anthropic-ai/sdk';
import { expect, it } from 'vitest';
import type { TurnEvent } from '../../../src/agent/events/turn-event.ts';
import type { ToolCall } from '../../../src/chat/message.ts';
import { endOf, startedMessage, usageOf, wholeMessage } from '../../../src/serve/anthropic/format.ts';
import { readTurn } from '../../../src/serve/http/turn-reader.ts';
import type { WholeReply } from '../../../src/serve/http/wire-format.ts';
import { anthropicModel } from '../../../src/serve/model-routes.ts';
import { serveScripted } from '../scripted.ts';

/** A value of each field that the official client can send, and whether it is refused, since it means nothing here. */
const FIELDS = {
  model: { value: 'org/scripted' },
  max_tokens: { value: 50 },
  messages: { value: [{ role: 'user', content: 'Hi' }] },
  cache_control: { value: { type: 'ephemeral', ttl: '1h' } },
  container: { value: 'container_1', refused: true },
  diagnostics: { value: null },
  inference_geo: { value: 'us' },
  metadata: { value: { user_id: 'u1' } },
  output_config: { value: { effort: 'low' } },
  service_tier: { value: 'auto' },
  speed: { value: 'standard' },
  stop_sequences: { value: ['STOP'] },
  stream: { value: false },
  system: { value: [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } }] },
  thinking: { value: { type: 'adaptive', display: 'omitted' } },
  tool_choice: { value: { type: 'auto', disable_parallel_tool_use: true } },
  tools: { value: [{ name: 'f', input_schema: { type: 'object' }, strict: true, type: 'custom' }] },
  user_profile_id: { value: 'p1' },
  workspace_id: { value: 'w1' },
} satisfies {
  [Name in keyof Anthropic.MessageCreateParamsNonStreaming]-?: {
    readonly value: Anthropic.MessageCreateParamsNonStreaming[Name];
    readonly refused?: true;
  };
};

it('every field of the official client is read, ignored or refused by name', async () => {
  const { url } = await serveScripted(() => 'ok');
  const { model, max_tokens, messages } = FIELDS;
  for (const [name, field] of Object.entries(FIELDS)) {
    const needed = { model: model.value, max_tokens: max_tokens.value, messages: messages.value };
    const body = JSON.stringify({ ...needed, [name]: field.value });
    const response = await fetch(`${url}/v1/messages`, { method: 'POST', body });
    const text = await response.text();
    const wanted =
      'refused' in field ? [400, expect.stringContaining(`"${name}:`)] : [200, expect.any(String)];
    expect([name, [response.status, text]]).toEqual([name, wanted]);
  }
});

const TOTALS = {
  promptTokens: 10,
  cachedTokens: 4,
  generatedTokens: 3,
  prefillMs: 1,
  decodeMs: 1,
  firstTokenMs: 1,
  totalMs: 2,
  decoding: { passes: 0, sequences: 0, proposed: 0, accepted: 0 },
};
const REPLY: WholeReply = {
  text: 'Hi',
  thinking: 'hm',
  logprobs: undefined,
  events: [],
  calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: { a: 1 } } }],
  totals: { ...TOTALS, finish: 'tool_calls' },
};

it('every field that the official client reads is there, with its type', () => {
  const head = { id: 'msg_1', model: 'm' };
  // The types of the client are checked when this file is compiled.
  const message: Anthropic.Message = wholeMessage(head, REPLY);
  const started: Anthropic.Message = startedMessage(head, { ...TOTALS, generatedTokens: 0 });
  const delta: Anthropic.RawMessageDeltaEvent.Delta = endOf({
    ...TOTALS,
    finish: 'stop',
    stopString: 'STOP',
  });
  const usage: Anthropic.MessageDeltaUsage = usageOf(TOTALS);
  const info: Anthropic.ModelInfo = anthropicModel({
    id: 'm',
    created: 0,
    contextLength: 5,
  });
  expect(message.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use']);
  expect(message).toMatchObject({
    stop_reason: 'tool_use',
    usage: { input_tokens: 6, cache_read_input_tokens: 4 },
  });
  expect(started).toMatchObject({ stop_reason: null, content: [] });
  expect(delta).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'STOP' });
  expect(usage).toMatchObject({ output_tokens: 3 });
  expect(info).toMatchObject({ type: 'model', created_at: '1970-01-01T00:00:00.000Z' });
  const read = [FIELDS, message, message.usage, delta, usage, info].flatMap(one => Object.keys(one));
  expect(read.length).toBeGreaterThan(50);
});

it('a reply that filled the context says so, not that it was too long', async () => {
  async function* turn(): AsyncGenerator<TurnEvent, readonly ToolCall[]> {
    yield { type: 'token', text: 'Hi' };
    yield { type: 'stats', stats: { ...TOTALS, finishReason: 'full' } };
    yield { type: 'assistant', text: 'Hi', cancelled: false };
    return [];
  }
  const nobody = { text: () => {}, thinking: () => {}, toolEvent: () => {}, prefill: () => {} };
  const read = await readTurn(turn(), nobody, 0);
  if ('error' in read) throw new Error('it failed');
  expect(read.reply.totals.finish).toBe('length');
  expect(endOf(read.reply.totals).stop_reason).toBe('model_context_window_exceeded');
  expect(endOf({ ...TOTALS, finish: 'length' }).stop_reason).toBe('max_tokens');
});
