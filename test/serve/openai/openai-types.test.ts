import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { callText, serveScripted } from '../scripted.ts';
import {
  absent,
  boolean,
  either,
  empty,
  faults,
  list,
  none,
  number,
  one,
  type Shape,
  shape,
  text,
} from '../shapes.ts';

// Every field that OpenAI's official client can send is read, ignored or refused by its name; every one that it reads is
// there with its type. The compiler checks that none of the client's fields is left out here.

type ChatParams = OpenAI.ChatCompletionCreateParamsNonStreaming;
type ResponseParams = OpenAI.Responses.ResponseCreateParamsNonStreaming;
/** `refused`: it means something that is not done here. */
type Table<Params> = {
  readonly [Name in keyof Params]-?: { readonly value: Params[Name]; readonly refused?: true };
};

const model = 'org/scripted';
const FUNCTION = { name: 'f', parameters: { type: 'object', properties: {} } };

const CHAT = {
  messages: { value: [{ role: 'user', content: 'Hi' }] },
  model: { value: model },
  audio: { value: { format: 'wav', voice: 'ash' }, refused: true },
  frequency_penalty: { value: 0.5 },
  function_call: { value: 'auto', refused: true },
  functions: { value: [FUNCTION], refused: true },
  logit_bias: { value: { 65: 1 } },
  logprobs: { value: true },
  max_completion_tokens: { value: 20 },
  max_tokens: { value: 20 },
  metadata: { value: { a: 'b' } },
  modalities: { value: ['text', 'audio'], refused: true },
  moderation: { value: null },
  n: { value: 2 },
  parallel_tool_calls: { value: false },
  prediction: { value: { type: 'content', content: 'ok' } },
  presence_penalty: { value: 0.5 },
  prompt_cache_key: { value: 'k' },
  prompt_cache_options: { value: {} },
  prompt_cache_retention: { value: '24h' },
  reasoning_effort: { value: 'low' },
  response_format: { value: { type: 'text' } },
  safety_identifier: { value: 's' },
  seed: { value: 1 },
  service_tier: { value: 'auto' },
  stop: { value: ['x'] },
  store: { value: true },
  stream: { value: false },
  stream_options: { value: null },
  temperature: { value: 0.5 },
  tool_choice: { value: 'auto' },
  tools: { value: [{ type: 'function', function: FUNCTION }] },
  top_logprobs: { value: 2, refused: true },
  top_p: { value: 0.5 },
  user: { value: 'u' },
  verbosity: { value: 'low' },
  web_search_options: { value: {}, refused: true },
} satisfies Table<ChatParams>;

const RESPONSES = {
  background: { value: true, refused: true },
  context_management: { value: null },
  conversation: { value: 'c', refused: true },
  include: { value: ['message.output_text.logprobs'] },
  input: { value: 'Hi' },
  instructions: { value: 'Be kind.' },
  max_output_tokens: { value: 20 },
  metadata: { value: { a: 'b' } },
  model: { value: model },
  moderation: { value: null },
  parallel_tool_calls: { value: false },
  previous_response_id: { value: null },
  prompt: { value: { id: 'p' }, refused: true },
  prompt_cache_key: { value: 'k' },
  prompt_cache_options: { value: {} },
  prompt_cache_retention: { value: '24h' },
  reasoning: { value: { effort: 'low' } },
  safety_identifier: { value: 's' },
  service_tier: { value: 'auto' },
  store: { value: false },
  stream: { value: false },
  stream_options: { value: null },
  temperature: { value: 0.5 },
  text: { value: { format: { type: 'text' }, verbosity: 'low' } },
  tool_choice: { value: 'auto' },
  tools: { value: [{ type: 'function', strict: false, ...FUNCTION }] },
  top_logprobs: { value: 2 },
  top_p: { value: 0.5 },
  truncation: { value: 'auto' },
  user: { value: 'u' },
} satisfies Table<ResponseParams>;

/** What came of sending each field with those that a request needs. */
async function outcomes(url: string, fields: Table<object>, needed: object) {
  const all: unknown[] = [];
  for (const [name, { value }] of Object.entries(fields as Record<string, { value: unknown }>)) {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify({ ...needed, [name]: value }) });
    all.push([name, response.status, response.ok ? '' : await response.text()]);
  }
  return all;
}

const wanted = (fields: object) =>
  Object.entries(fields as Record<string, { refused?: true }>).map(([name, { refused }]) =>
    refused ? [name, 400, expect.stringContaining(`"${name}: `)] : [name, 200, ''],
  );

describe('requests', () => {
  it('chat completions', async () => {
    const { url } = await serveScripted(() => 'ok');
    const needed = { model, messages: CHAT.messages.value };
    expect(await outcomes(`${url}/v1/chat/completions`, CHAT, needed)).toEqual(wanted(CHAT));
  });

  it('responses', async () => {
    const { url } = await serveScripted(() => 'ok');
    expect(await outcomes(`${url}/v1/responses`, RESPONSES, { model, input: 'Hi' })).toEqual(
      wanted(RESPONSES),
    );
  });
});

const nullable = <T>(is: (value: unknown) => value is T) => either(is, none);
const optional = <T>(is: (value: unknown) => value is T) => either(is, absent);
const bytes = nullable(list(number));
const topLogprob = shape<OpenAI.ChatCompletionTokenLogprob.TopLogprob>({
  token: text,
  bytes,
  logprob: number,
});
const logprob = shape<OpenAI.ChatCompletionTokenLogprob>({
  token: text,
  bytes,
  logprob: number,
  top_logprobs: list(topLogprob),
});
const logprobs = shape<OpenAI.ChatCompletion.Choice.Logprobs>({ content: list(logprob), refusal: none });
const called = shape<OpenAI.ChatCompletionMessageFunctionToolCall>({
  id: text,
  type: one('function'),
  function: shape<OpenAI.ChatCompletionMessageFunctionToolCall.Function>({ name: text, arguments: text }),
});
const message = shape<OpenAI.ChatCompletionMessage>({
  content: nullable(text),
  refusal: none,
  role: one('assistant'),
  tool_calls: optional(list(called)),
  annotations: absent,
  audio: absent,
  function_call: absent,
});
const usage = shape<OpenAI.CompletionUsage>({
  completion_tokens: number,
  prompt_tokens: number,
  total_tokens: number,
  completion_tokens_details: absent,
  prompt_tokens_details: shape<OpenAI.CompletionUsage.PromptTokensDetails>({
    cached_tokens: number,
    audio_tokens: absent,
    cache_write_tokens: absent,
  }),
});
const COMPLETION: Shape<OpenAI.ChatCompletion> = {
  id: text,
  object: one('chat.completion'),
  created: number,
  model: text,
  usage,
  service_tier: absent,
  system_fingerprint: absent,
  moderation: absent,
  choices: list(
    shape<OpenAI.ChatCompletion.Choice>({
      index: number,
      message,
      logprobs: nullable(logprobs),
      finish_reason: one('stop', 'length', 'tool_calls'),
    }),
  ),
};
const CHUNK: Shape<OpenAI.ChatCompletionChunk> = {
  id: text,
  object: one('chat.completion.chunk'),
  created: number,
  model: text,
  service_tier: absent,
  system_fingerprint: absent,
  moderation: absent,
  usage: nullable(usage),
  choices: list(
    shape<OpenAI.ChatCompletionChunk.Choice>({
      index: number,
      logprobs: nullable(logprobs),
      finish_reason: either(one('stop', 'length', 'tool_calls'), none),
      delta: shape<OpenAI.ChatCompletionChunk.Choice.Delta>({
        content: optional(text),
        refusal: either(none, absent),
        role: optional(one('assistant')),
        function_call: absent,
        tool_calls: optional(
          list(
            shape<OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall>({
              index: number,
              id: text,
              type: one('function'),
              function: shape<OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall.Function>({
                name: text,
                arguments: text,
              }),
            }),
          ),
        ),
      }),
    }),
  ),
};

type Output = OpenAI.Responses.ResponseOutputItem;
const outputText = shape<OpenAI.Responses.ResponseOutputText>({
  type: one('output_text'),
  text,
  annotations: empty,
  logprobs: list(
    shape<OpenAI.Responses.ResponseOutputText.Logprob>({
      token: text,
      bytes: list(number),
      logprob: number,
      top_logprobs: list(
        shape<OpenAI.Responses.ResponseOutputText.Logprob.TopLogprob>({
          token: text,
          bytes: list(number),
          logprob: number,
        }),
      ),
    }),
  ),
});
const said = shape<OpenAI.Responses.ResponseOutputMessage>({
  id: text,
  type: one('message'),
  role: one('assistant'),
  status: one('completed'),
  phase: absent,
  content: list(outputText),
});
const thought = shape<OpenAI.Responses.ResponseReasoningItem>({
  id: text,
  type: one('reasoning'),
  summary: empty,
  encrypted_content: absent,
  status: one('completed'),
  content: list(shape<OpenAI.Responses.ResponseReasoningItem.Content>({ type: one('reasoning_text'), text })),
});
const functionCall = shape<OpenAI.Responses.ResponseFunctionToolCall>({
  id: text,
  type: one('function_call'),
  call_id: text,
  name: text,
  arguments: text,
  status: one('completed'),
  caller: absent,
  namespace: absent,
});
const item: (value: unknown) => value is Output = either(either(said, thought), functionCall);
const RESPONSE: Shape<Omit<OpenAI.Responses.Response, 'output_text'>> = {
  id: text,
  object: one('response'),
  created_at: number,
  model: text,
  output: list(item),
  error: none,
  incomplete_details: none,
  instructions: nullable(text),
  background: one(false),
  parallel_tool_calls: boolean,
  temperature: nullable(number),
  top_p: nullable(number),
  tool_choice: one('auto', 'none', 'required'),
  truncation: one('auto', 'disabled'),
  max_output_tokens: nullable(number),
  previous_response_id: nullable(text),
  status: one('completed'),
  prompt: absent,
  conversation: absent,
  moderation: absent,
  completed_at: number,
  user: optional(text),
  prompt_cache_key: absent,
  prompt_cache_options: absent,
  prompt_cache_retention: absent,
  safety_identifier: absent,
  service_tier: absent,
  top_logprobs: absent,
  metadata: shape<OpenAI.Metadata>({}),
  tools: list(
    shape<OpenAI.Responses.FunctionTool>({
      type: one('function'),
      name: text,
      strict: nullable(boolean),
      description: absent,
      parameters: shape<Record<string, unknown>>({}),
      defer_loading: absent,
      allowed_callers: absent,
      output_schema: absent,
    }),
  ),
  reasoning: shape<OpenAI.Reasoning>({
    effort: nullable(one('low')),
    summary: none,
    generate_summary: absent,
    context: absent,
    mode: absent,
  }),
  text: shape<OpenAI.Responses.ResponseTextConfig>({
    format: shape<OpenAI.ResponseFormatText>({ type: one('text') }),
    verbosity: absent,
  }),
  usage: shape<OpenAI.Responses.ResponseUsage>({
    input_tokens: number,
    output_tokens: number,
    total_tokens: number,
    input_tokens_details: shape<OpenAI.Responses.ResponseUsage.InputTokensDetails>({
      cached_tokens: number,
      cache_write_tokens: number,
    }),
    output_tokens_details: shape<OpenAI.Responses.ResponseUsage.OutputTokensDetails>({
      reasoning_tokens: number,
    }),
  }),
};

const THINKS = '{{ messages[0].content }}<tool_call><think>';
const REPLY = `hm</think>Well.\n${callText('f', {})}`;

describe('answers', () => {
  const asked = { model, messages: CHAT.messages.value, tools: CHAT.tools.value };

  it('chat completions', async () => {
    const { url } = await serveScripted(() => REPLY, { template: THINKS });
    const ask = async (more: object) =>
      await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ ...asked, ...more }),
      });
    const whole = await (await ask({ logprobs: true, top_logprobs: 1 })).json();
    expect(faults(COMPLETION, whole)).toEqual([]);
    const stream = await (await ask({ stream: true, stream_options: { include_usage: true } })).text();
    const chunks = [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => JSON.parse(json));
    expect(chunks.length).toBeGreaterThan(5);
    for (const chunk of chunks) expect(faults(CHUNK, chunk)).toEqual([]);
  });

  it('responses', async () => {
    const { url } = await serveScripted(() => REPLY, { template: THINKS });
    const body = { model, input: 'Hi', tools: RESPONSES.tools.value, top_logprobs: 1 };
    const whole = await fetch(`${url}/v1/responses`, { method: 'POST', body: JSON.stringify(body) });
    const response = (await whole.json()) as { output: readonly { type: string }[] };
    expect(faults(RESPONSE, response)).toEqual([]);
    expect(response.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call']);
  });

  it('models and embeddings', async () => {
    const { url } = await serveScripted(() => '');
    const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: unknown[] };
    const fields: Shape<OpenAI.Model> = { id: text, object: one('model'), created: number, owned_by: text };
    expect(data.map(each => faults(fields, each))).toEqual([[]]);
  });
});
