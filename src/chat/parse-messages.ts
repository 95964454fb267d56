import { z } from 'zod';
import { LlmHostError } from '../errors.ts';
import { isNestedDeeper } from '../text/json/nesting.ts';
import { isPlainObject } from '../text/json/plain-object.ts';
import type { Message } from './message.ts';

/** A conversation that holds them must not be nested more than 100 levels deep when it is saved. */
const MAX_ARGUMENT_LEVELS = 90;

/** OpenAI's API writes them as text. */
const args = z.unknown().transform((written, context) => {
  const value = typeof written === 'string' ? fromText(written) : written;
  if (isPlainObject(value) && !isNestedDeeper(value, MAX_ARGUMENT_LEVELS)) return value;
  context.addIssue({ code: 'custom', message: 'not a JSON object' });
  return z.NEVER;
});

const call = z.looseObject({
  id: z.string(),
  type: z.literal('function').default('function'),
  function: z.looseObject({ name: z.string(), arguments: args }),
});

const text = z.looseObject({ role: z.enum(['system', 'user']), content: z.string() });

const assistant = z
  .looseObject({
    role: z.literal('assistant'),
    content: z.string().nullish(),
    reasoning_content: z.string().nullish(),
    tool_calls: z.array(call).nullish(),
  })
  .transform(({ content, reasoning_content, tool_calls, ...rest }, context) => {
    if (typeof content !== 'string' && !tool_calls?.length)
      context.addIssue({ code: 'custom', message: 'neither text nor calls', path: ['content'] });
    return {
      ...rest,
      content: content ?? '',
      ...(typeof reasoning_content === 'string' && { reasoning_content }),
      ...(tool_calls && { tool_calls }),
    };
  });

const result = z.looseObject({
  role: z.literal('tool'),
  content: z.string(),
  tool_call_id: z.string(),
  name: z.string().optional(),
});

const SHAPES = { system: text, user: text, assistant, tool: result } as const;

/** Checks a list of messages that somebody saved, maybe another program by OpenAI's API. Throws LlmHostError CONFIG. */
export function parseMessages(value: unknown): Message[] {
  if (!Array.isArray(value))
    throw new LlmHostError('CONFIG', 'The saved conversation is not a list of messages');
  /** The tools called so far, by the ids of the calls. */
  const called = new Map<string, string>();
  return value.map((one: unknown, index) => {
    const message = parseMessage(one, called, `Message ${index + 1} of the saved conversation`);
    if (message.role === 'assistant')
      for (const { id, function: made } of message.tool_calls ?? []) called.set(id, made.name);
    return message;
  });
}

function parseMessage(value: unknown, called: ReadonlyMap<string, string>, where: string): Message {
  const { role, content } = isPlainObject(value) ? value : {};
  const isKnown = typeof role === 'string' && Object.hasOwn(SHAPES, role);
  if (!isKnown || (role !== 'assistant' && typeof content !== 'string'))
    throw new LlmHostError('CONFIG', `${where} has no known role or no text`);
  const parsed = SHAPES[role as keyof typeof SHAPES].safeParse(value);
  if (!parsed.success) throw new LlmHostError('CONFIG', `${where} is wrong: ${firstFault(parsed.error)}`);
  const message = parsed.data;
  if (message.role !== 'tool') return message;
  const name = message.name ?? called.get(message.tool_call_id);
  if (name === undefined)
    throw new LlmHostError('CONFIG', `${where} is wrong: tool_call_id answers no call before it`);
  return { ...message, name };
}

/** Such as `tool_calls.0.function.arguments: not a JSON object`. */
function firstFault({ issues }: z.ZodError): string {
  const [first] = issues;
  return `${first?.path.join('.')}: ${first?.message}`;
}

function fromText(written: string): unknown {
  if (written.trim() === '') return {};
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}
