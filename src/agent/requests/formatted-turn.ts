import type { History } from '../../chat/history.ts';
import type { ToolCall } from '../../chat/message.ts';
import { checkSchema } from '../../parse/json/schema-check.ts';
import { isPlainObject } from '../../text/plain-object.ts';
import type { TurnEvent } from '../events/turn-event.ts';
import type { Agent } from '../turn/agent.ts';

/** What a reply must be: any JSON object, or JSON that fits a schema. */
export interface ReplyShape {
  /** JSON Schema; undefined: any object. */
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** Attempts after the first. */
const RETRIES = 2;

/** What the model is told of it. */
export function shapeInstruction({ schema }: ReplyShape): string {
  const what = schema ? `JSON that fits this schema:\n${JSON.stringify(schema)}` : 'one JSON object';
  return `Answer with ${what}\nWrite nothing before or after the JSON.`;
}

/**
 * A turn whose reply has the shape: what does not fit is told to the model, which tries again. The text comes in one
 * piece when it is known to fit; after the last attempt the turn ends with an error. A reply that is `held` to all of
 * the shape from its start streams instead, and has one attempt.
 */
export async function* shapedTurn(
  agent: Agent,
  history: History,
  shape: ReplyShape,
  { signal, held }: { readonly signal: AbortSignal | undefined; readonly held: boolean },
): AsyncGenerator<TurnEvent, readonly ToolCall[]> {
  const start = history.mark();
  for (let attempt = 0; ; attempt += 1) {
    const { calls, text, cancelled, cut, failed } = yield* untilItsEnd(agent, signal, held);
    if (failed) return [];
    // What was cut off cannot fit, and the client is told why it was.
    const checked =
      calls.length > 0 || cancelled || cut ? { text, problem: undefined } : readShaped(text, shape);
    if (checked.problem === undefined) {
      if (attempt > 0 && calls.length === 0) {
        history.rollback(start);
        history.add({ role: 'assistant', content: checked.text });
      }
      if (!held && checked.text !== '') yield { type: 'token', text: checked.text };
      yield { type: 'assistant', text: checked.text, cancelled };
      return calls;
    }
    if (held || attempt === RETRIES) {
      history.rollback(start);
      const message = `The model did not write the JSON that was asked for: ${checked.problem}`;
      yield { type: 'error', code: 'TOOL_FAILED', message };
      return [];
    }
    history.add({
      role: 'user',
      content: `That was not the JSON that was asked for: ${checked.problem}\n${shapeInstruction(shape)}`,
    });
  }
}

/** Everything of a turn but its whole text, which is returned, and without `streams` the pieces of it. */
async function* untilItsEnd(agent: Agent, signal: AbortSignal | undefined, streams: boolean) {
  const turn = agent.respond(signal);
  let text = '';
  let cancelled = false;
  let cut = false;
  let failed = false;
  for (let step = await turn.next(); ; step = await turn.next()) {
    if (step.done) return { calls: step.value, text, cancelled, cut, failed };
    const event: TurnEvent = step.value;
    if (event.type === 'assistant') ({ text, cancelled } = event);
    else if (streams || event.type !== 'token') yield event;
    if (event.type === 'stats') cut = ['length', 'full'].includes(event.stats.finishReason);
    if (event.type === 'error') failed = true;
  }
}

/** The JSON in a reply, with or without a fence around it, and what is wrong with it. */
function readShaped(reply: string, { schema }: ReplyShape): { text: string; problem: string | undefined } {
  const text = (/^```(?:json)?\s*\n([\s\S]*?)\n?```$/.exec(reply.trim())?.[1] ?? reply).trim();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { text, problem: `it cannot be read (${(error as Error).message})` };
  }
  if (!schema) return { text, problem: isPlainObject(value) ? undefined : 'it is no object' };
  const [first] = checkSchema(schema, value);
  return {
    text,
    problem: first && `${first.path}: expected ${first.expected}${first.got ? `, got ${first.got}` : ''}`,
  };
}
