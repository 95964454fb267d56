import { z } from 'zod';
import type { TurnRequest } from '../../agent/requests/request-turn.ts';
import type { Message } from '../../chat/message.ts';
import { badRequest } from '../http/api-error.ts';
import { jsonSchema, toolDefinition } from '../http/body-fields.ts';
import type { ServeContext } from '../http/serve-context.ts';
import type { ToolsPolicy } from '../http/tools-policy.ts';
import { sharedFields, type TurnBody, toTurn } from './chat-request.ts';
import { joinSystem, readArguments, requireContent, textContent, textOf } from './messages.ts';

const format = z.union([
  z.looseObject({ type: z.enum(['text', 'json_object']) }),
  z.looseObject({
    type: z.literal('json_schema'),
    name: z.string().nullish(),
    schema: jsonSchema,
    strict: z.boolean().nullish(),
  }),
]);

const inputItem = z.looseObject({
  type: z.string().nullish(),
  role: z.enum(['user', 'assistant', 'system', 'developer']).nullish(),
  content: textContent,
  summary: textContent,
  call_id: z.string().nullish(),
  name: z.string().nullish(),
  arguments: z.string().nullish(),
  output: textContent,
});

/** A text is one user message. */
const responsesInput = z.preprocess(
  input => (typeof input === 'string' ? [{ role: 'user', content: input }] : input),
  z.array(inputItem).min(1).max(10_000),
);

export const responsesBody = z.looseObject({
  ...sharedFields,
  input: responsesInput,
  instructions: z.string().nullish(),
  tools: z
    .array(
      z.looseObject({
        type: z.literal('function'),
        defer_loading: toolDefinition.shape.defer_loading,
        ...toolDefinition.shape.function.shape,
      }),
    )
    .max(512)
    .nullish(),
  tool_choice: z
    .union([
      z.enum(['auto', 'none', 'required']),
      z.looseObject({ type: z.literal('function'), name: z.string() }),
    ])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z.looseObject({ format: format.nullish() }).nullish(),
  reasoning: z.looseObject({ effort: z.string().nullish() }).nullish(),
  include: z.array(z.string()).nullish(),
  top_logprobs: z.number().int().min(0).max(20).nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  store: z.boolean().nullish(),
  previous_response_id: z.string().nullish(),
});

export type ResponsesBody = z.infer<typeof responsesBody>;

const FIELDS = { api: 'openai', limit: 'max_output_tokens', format: 'text.format' } as const;

/** Fields for state that only OpenAI's own servers keep. */
const ELSEWHERE = ['conversation', 'prompt'] as const;

/** `before`: the items that precede the input. Throws ApiError 400 for anything we cannot do. */
export function toResponseTurn(
  body: ResponsesBody,
  before: readonly unknown[],
  context: Pick<ServeContext, 'model' | 'turns'>,
  policy: ToolsPolicy,
): TurnRequest {
  for (const name of ELSEWHERE) {
    if (body[name] != null)
      throw badRequest(`${name}: not supported here; send input and previous_response_id`, name);
  }
  if (body.n != null && body.n !== 1) throw badRequest('n: a response is one reply', 'n');
  if (body.background === true)
    throw badRequest('background: not supported; responses are returned at once or streamed', 'background');
  const items = [...(before as ResponsesBody['input']), ...body.input];
  const messages = inputMessages(items, body.instructions ?? '', before.length);
  const turn = toTurn(turnBodyOf(body), messages, context, policy, FIELDS);
  return { ...turn, overflow: body.truncation === 'auto' ? 'trim' : 'stop' };
}

/** Whether to return log-probabilities. */
function wantsLogprobs({ include, top_logprobs }: ResponsesBody): boolean {
  return top_logprobs != null || include?.includes('message.output_text.logprobs') === true;
}

/** Converts the body to the fields of a chat completion. */
function turnBodyOf(body: ResponsesBody): TurnBody {
  const { tools, tool_choice: choice, text, reasoning, top_logprobs } = body;
  return {
    ...body,
    tools: tools?.map(({ type: _, defer_loading, ...definition }) => ({
      defer_loading,
      function: definition,
    })),
    tool_choice:
      choice != null && typeof choice === 'object'
        ? { type: 'function', function: { name: choice.name } }
        : choice,
    response_format: formatOf(text?.format),
    reasoning_effort: reasoning?.effort,
    logprobs: wantsLogprobs(body),
    top_logprobs,
  };
}

function formatOf(asked: z.infer<typeof format> | null | undefined): TurnBody['response_format'] {
  if (asked?.type !== 'json_schema') return asked;
  const { name, schema, strict } = asked as Extract<typeof asked, { schema: unknown }>;
  return { type: 'json_schema', json_schema: { name, schema, strict } };
}

type InputItem = z.infer<typeof inputItem>;

/**
 * The items of a conversation in the shape that templates expect; the first `before` of them are not of this request.
 * Throws ApiError 400.
 */
export function inputMessages(items: readonly InputItem[], instructions: string, before = 0): Message[] {
  const reader = new InputReader();
  items.forEach((item, index) => {
    reader.read(item, `input[${index - before}]`);
  });
  const system: Message[] = instructions === '' ? [] : [{ role: 'system', content: instructions }];
  return joinSystem([...system, ...reader.messages]);
}

/** Calls and reasoning are separate items there, and parts of the reply here. */
class InputReader {
  readonly messages: Message[] = [];
  readonly #names = new Map<string, string>();
  #reasoning = '';

  read(item: InputItem, at: string): void {
    switch (item.type ?? 'message') {
      case 'message':
        this.#message(item, at);
        break;
      case 'reasoning':
        // Clients repeat what is not there as an empty list.
        this.#reasoning += textOf(item.content, at) || textOf(item.summary, at);
        break;
      case 'function_call':
        this.#call(item, at);
        break;
      case 'function_call_output':
        this.#output(item, at);
        break;
      default:
        throw badRequest(`${at}: items of type '${item.type}' cannot be read here`, `${at}.type`);
    }
  }

  #message({ role, content }: InputItem, at: string): void {
    if (role == null) throw badRequest(`${at}: a message needs a role`, `${at}.role`);
    if (role !== 'assistant') requireContent(content, at);
    const text = textOf(content, at);
    if (role === 'assistant') {
      this.messages.push(this.#assistant(text));
      return;
    }
    this.#settle();
    // Without a reply that it belongs to; it must not become that of the next one.
    if (role === 'user') this.#reasoning = '';
    this.messages.push({ role: role === 'developer' ? 'system' : role, content: text });
  }

  #call({ call_id: id, name, arguments: written }: InputItem, at: string): void {
    if (id == null || name == null) throw badRequest(`${at}: a call needs call_id and name`, `${at}.call_id`);
    this.#settle();
    const last = this.messages.at(-1);
    const reply = last?.role === 'assistant' ? last : this.#assistant('');
    if (reply === last) this.messages.pop();
    const call = { id, type: 'function', function: { name, arguments: readArguments(written, at) } } as const;
    this.messages.push({ ...reply, tool_calls: [...(reply.tool_calls ?? []), call] });
    this.#names.set(id, name);
  }

  #output({ call_id: id, output }: InputItem, at: string): void {
    const name = this.#names.get(id ?? '');
    if (id == null || name === undefined)
      throw badRequest(`${at}: call_id '${id ?? ''}' answers no call before it`, `${at}.call_id`);
    this.#settle();
    this.messages.push({ role: 'tool', content: textOf(output, at), tool_call_id: id, name });
  }

  /** Gives reasoning that follows a reply to that reply: the model may think on after its text. */
  #settle(): void {
    const last = this.messages.at(-1);
    if (last?.role !== 'assistant' || this.#reasoning === '') return;
    this.messages.pop();
    this.messages.push({ ...last, reasoning_content: (last.reasoning_content ?? '') + this.#reasoning });
    this.#reasoning = '';
  }

  /** With the reasoning that led to it. */
  #assistant(content: string): Extract<Message, { role: 'assistant' }> {
    const reasoning = this.#reasoning;
    this.#reasoning = '';
    return { role: 'assistant', content, ...(reasoning && { reasoning_content: reasoning }) };
  }
}
