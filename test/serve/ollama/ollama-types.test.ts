import type {
  ChatRequest,
  ChatResponse,
  GenerateRequest,
  GenerateResponse,
  Logprob,
  Message,
  ModelDetails,
  ModelResponse,
  Options,
  ShowResponse,
  ToolCall,
} from 'ollama';
import { describe, expect, it } from 'vitest';
import { callText, serveScripted } from '../scripted.ts';
import {
  absent,
  boolean,
  either,
  empty,
  faults,
  list,
  number,
  one,
  type Shape,
  shape,
  text,
} from '../shapes.ts';

// As openai-types.test.ts, for Ollama's official client.

const model = 'org/scripted';
type Table<Params> = {
  readonly [Name in keyof Params]-?: { readonly value: Params[Name]; readonly refused?: true };
};

const SHARED = {
  model: { value: model },
  stream: { value: false },
  format: { value: 'json' },
  keep_alive: { value: '5m' },
  think: { value: 'low' as const },
  logprobs: { value: true },
  top_logprobs: { value: 2 },
  options: { value: { num_ctx: 100 } },
};
const CHAT = {
  ...SHARED,
  messages: { value: [{ role: 'user', content: 'Hi' }] },
  tools: { value: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }] },
} satisfies Table<ChatRequest>;
const GENERATE = {
  ...SHARED,
  prompt: { value: 'Hi' },
  system: { value: 'Be kind.' },
  raw: { value: true },
  suffix: { value: 'x', refused: true },
  images: { value: ['AA=='], refused: true },
  // What they ask for is Ollama's own business, and nothing of it changes what the reply means.
  template: { value: '', refused: undefined },
  context: { value: [] },
  width: { value: 1 },
  height: { value: 1 },
  steps: { value: 1 },
} satisfies {
  readonly [Name in keyof GenerateRequest]-?: { value: GenerateRequest[Name]; refused?: boolean | undefined };
};
const OPTIONS = {
  numa: true,
  num_ctx: 100,
  num_batch: 1,
  num_gpu: 1,
  main_gpu: 0,
  low_vram: false,
  f16_kv: true,
  logits_all: false,
  vocab_only: false,
  use_mmap: true,
  use_mlock: false,
  embedding_only: false,
  num_thread: 2,
  num_keep: 4,
  seed: 1,
  num_predict: 5,
  top_k: 2,
  top_p: 0.5,
  min_p: 0.1,
  tfs_z: 1,
  typical_p: 1,
  repeat_last_n: 64,
  temperature: 0.5,
  repeat_penalty: 1.1,
  presence_penalty: 0.1,
  frequency_penalty: 0.1,
  mirostat: 0,
  mirostat_tau: 5,
  mirostat_eta: 0.1,
  penalize_newline: true,
  stop: ['x'],
} satisfies Options;

describe('requests', () => {
  it.each([
    ['chat', CHAT, { messages: CHAT.messages.value }],
    ['generate', GENERATE, { prompt: 'Hi' }],
  ])('%s', async (path, fields, needed) => {
    const { url } = await serveScripted(() => '{"a": 1}');
    for (const [name, { value, ...row }] of Object.entries(fields)) {
      const body = JSON.stringify({ model, stream: false, ...needed, [name]: value });
      const response = await fetch(`${url}/api/${path}`, { method: 'POST', body });
      const said = await response.text();
      const refused = 'refused' in row && row.refused === true;
      expect([name, response.status, refused ? said : '']).toEqual([
        ...[name, refused ? 400 : 200],
        refused ? expect.stringContaining(`"${name}: `) : '',
      ]);
    }
  });

  it('options', async () => {
    const { url } = await serveScripted(() => 'ok');
    for (const [name, value] of Object.entries(OPTIONS)) {
      const body = JSON.stringify({ model, prompt: 'Hi', stream: false, options: { [name]: value } });
      const { status } = await fetch(`${url}/api/generate`, { method: 'POST', body });
      expect([name, status]).toEqual([name, 200]);
    }
  });
});

/** Dates are texts until the client has read them; it does so itself. */
type Sent<T> = { [Name in keyof T]: T[Name] extends Date ? string : T[Name] };
const optional = <T>(is: (value: unknown) => value is T) => either(is, absent);
const counts = {
  total_duration: number,
  load_duration: number,
  prompt_eval_count: number,
  prompt_eval_duration: number,
  eval_count: number,
  eval_duration: number,
};
const logprobs = optional(
  list(
    shape<Logprob>({
      token: text,
      logprob: number,
      top_logprobs: list(shape<{ token: string; logprob: number }>({ token: text, logprob: number })),
    }),
  ),
);
const called = shape<ToolCall>({
  function: shape<ToolCall['function']>({ name: text, arguments: shape<Record<string, unknown>>({}) }),
});
const CHAT_ANSWER: Shape<Sent<ChatResponse>> = {
  model: text,
  created_at: text,
  done: boolean,
  done_reason: one('stop', 'length'),
  ...counts,
  logprobs,
  message: shape<Message>({
    role: one('assistant'),
    content: text,
    thinking: optional(text),
    images: absent,
    tool_name: absent,
    tool_calls: optional(list(called)),
  }),
};
/** `context` is what Ollama has given up; its type still demands it. */
const GENERATE_ANSWER: Shape<Omit<Sent<GenerateResponse>, 'context'>> = {
  model: text,
  created_at: text,
  response: text,
  thinking: optional(text),
  done: boolean,
  ...counts,
  done_reason: one('stop', 'length'),
  logprobs,
  image: absent,
  completed: absent,
  total: absent,
};
const details = shape<ModelDetails>({
  parent_model: text,
  format: text,
  family: text,
  families: list(text),
  parameter_size: text,
  quantization_level: text,
});
const listed = { name: text, model: text, modified_at: text, size: number, digest: text, details };
const TAG: Shape<Omit<Sent<ModelResponse>, 'expires_at' | 'size_vram'>> = listed;
const RUNNING: Shape<Omit<Sent<ModelResponse>, 'modified_at'>> = {
  name: text,
  model: text,
  size: number,
  digest: text,
  details,
  expires_at: text,
  size_vram: number,
};
const SHOWN: Shape<Sent<ShowResponse>> = {
  license: text,
  modelfile: text,
  parameters: text,
  template: text,
  system: text,
  details,
  messages: empty,
  modified_at: text,
  capabilities: list(text),
  projector_info: absent,
  model_info: (value): value is Map<string, unknown> => typeof value === 'object' && value !== null,
};

it('answers', async () => {
  const template = '{{ messages[0].content }}<tool_call><think>';
  const { url } = await serveScripted(() => `hm</think>Well.\n${callText('f', {})}`, { template });
  const get = async (path: string, body?: object) => {
    const response = await fetch(
      `${url}/api/${path}`,
      body && { method: 'POST', body: JSON.stringify(body) },
    );
    return (await response.json()) as { models: readonly unknown[] };
  };
  const asked = { model, stream: false, logprobs: true, top_logprobs: 1 };
  const chat = await get('chat', { ...asked, messages: CHAT.messages.value, tools: CHAT.tools.value });
  expect(faults(CHAT_ANSWER, chat)).toEqual([]);
  expect(faults(GENERATE_ANSWER, await get('generate', { ...asked, prompt: 'Hi' }))).toEqual([]);
  expect(faults(SHOWN, await get('show', { model }))).toEqual([]);
  expect((await get('tags')).models.map(each => faults(TAG, each))).toEqual([[]]);
  expect((await get('ps')).models.map(each => faults(RUNNING, each))).toEqual([[]]);
});
