import type { History, HistoryMark } from '../../chat/history.ts';
import type { ToolCall, ToolDefinition } from '../../chat/message.ts';
import { exampleArguments } from '../../parse/calls/example-arguments.ts';
import type { AttemptLabel } from '../../parse/calls/resolve-call.ts';
import type { Sampling } from '../../text/sampling/fields.ts';
import type { ToolMetrics } from '../calls/metrics.ts';
import type { InvalidCall } from '../calls/validate-calls.ts';
import type { TurnEvent } from '../events/turn-event.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { assistantMessage, type Reply, toolMessage, writtenText } from './reply.ts';

/** Each argument that the tool needs was given, or nobody can tell. */
const MISSPELT: ReadonlySet<AttemptLabel> = new Set([
  'malformed_json',
  'type_mismatch',
  'schema_violation',
  'hallucinated_param',
]);

export interface FailedAttemptsParts {
  readonly model: ChatModel;
  readonly history: History;
  readonly metrics: ToolMetrics;
  readonly retry: RetryOptions | undefined;
  /** For a call that could not be read, which has no id of its own. */
  readonly newCallId: () => string;
}

/** Failed attempts at a call. They stay in the history only until one succeeds or the turn ends. */
export class FailedAttempts {
  readonly plan: RetryPlan;
  readonly #parts: FailedAttemptsParts;
  /** Where the history was before the first of them. */
  #mark: HistoryMark | undefined;

  constructor(parts: FailedAttemptsParts) {
    this.#parts = parts;
    this.plan = new RetryPlan(parts.retry);
  }

  /** Records one and tells the model what was wrong. Returns why the turn ends, or undefined to try again. */
  *add(
    reply: Reply,
    invalid: readonly InvalidCall[],
    tools: readonly ToolDefinition[],
    cancelled: boolean,
  ): Generator<TurnEvent, 'cancelled' | 'exhausted' | undefined> {
    const { history, metrics, model } = this.#parts;
    this.#mark ??= history.mark();
    yield* this.#count(reply, invalid);
    if (!cancelled && !this.plan.exhausted) {
      this.#tellModel(reply, invalid, tools);
      return undefined;
    }
    metrics.gaveUp();
    if (!cancelled) model.callSettled?.(false);
    history.rollback(this.#mark);
    history.add({ role: 'assistant', content: writtenText(reply) });
    if (cancelled) return 'cancelled';
    yield {
      type: 'notice',
      message: 'The model could not write a readable tool call; the turn ends here.',
    };
    return 'exhausted';
  }

  /**
   * Whether the reply is better generated again, held to the schemas, than explained: the tools are certain, no value would
   * be invented, and nothing else was said. Small models answer an explanation in words.
   */
  shouldRepeat({ content }: Reply, invalid: readonly InvalidCall[]): boolean {
    const { withdrawsCalls = false } = this.#parts.model;
    // A call held to its schema is withdrawn where it has to invent the value.
    const isMisspelt = (label: AttemptLabel) =>
      MISSPELT.has(label) || (withdrawsCalls && label === 'missing_required');
    const misspelt = invalid.every(({ label, tool }) => tool !== undefined && isMisspelt(label));
    return this.plan.mayRepeat && invalid.length > 0 && misspelt && content.trim() === '';
  }

  /** Records one whose prompt is asked again as it is. */
  *repeat(reply: Reply, invalid: readonly InvalidCall[]): Generator<TurnEvent> {
    yield* this.#count(reply, invalid, true);
  }

  *#count(reply: Reply, invalid: readonly InvalidCall[], repeated = false): Generator<TurnEvent> {
    const { metrics, newCallId } = this.#parts;
    for (const { tool, call, label } of invalid)
      metrics.attempt(tool ?? call?.function.name ?? '', label, this.plan.attempts);
    this.plan.failed(writtenText(reply), repeated);
    yield* invalidCallEvents(invalid, newCallId);
  }

  /** Takes them out of the history: a call succeeded, or the model answered in words. */
  forget(): void {
    if (this.#mark !== undefined) this.#parts.history.rollback(this.#mark);
    this.#mark = undefined;
  }

  #tellModel(reply: Reply, invalid: readonly InvalidCall[], tools: readonly ToolDefinition[]): void {
    const { history, model } = this.#parts;
    const writeCall = model.writeCall?.bind(model);
    const readable = invalid.filter(one => one.call !== undefined);
    const unreadable = invalid.filter(one => one.call === undefined);
    history.add(assistantMessage(reply, readable));
    for (const one of readable)
      history.add(toolMessage(one.call as ToolCall, feedback(one, tools, writeCall)));
    // Some templates break on a result without a call, so what could not be read is answered by the user.
    if (unreadable.length > 0) {
      const notes = unreadable.map(one => feedback(one, tools, writeCall));
      history.add({ role: 'user', content: notes.join('\n') });
    }
  }
}

/** The events of calls that do not run. */
export function* invalidCallEvents(
  calls: readonly InvalidCall[],
  newCallId: () => string,
): Generator<TurnEvent> {
  for (const { call, message } of calls) {
    const id = call?.id ?? newCallId();
    const name = call?.function.name ?? '';
    if (call) yield { type: 'tool_call', id, name, arguments: call.function.arguments };
    yield { type: 'tool_error', id, name, message, seconds: 0 };
  }
}

/** Temperatures are rounded to thousandths. */
const PRECISION = 1000;
/** The least that makes a model say something else after an identical repeat. */
const MIN_NUDGE = 0.2;

export interface RetryOptions {
  /** Attempts after the first. Default 2. */
  readonly max?: number;
  /** How much each attempt lowers the temperature. Default 0.1. */
  readonly temperatureStep?: number;
}

/** Counts failed attempts at a call and decides how to sample the next one. */
export class RetryPlan {
  readonly #max: number;
  readonly #step: number;
  #attempts = 0;
  #last: string | undefined;
  #identical = false;
  #repeated = false;

  constructor({ max = 2, temperatureStep = 0.1 }: RetryOptions = {}) {
    this.#max = max;
    this.#step = temperatureStep;
  }

  get attempts(): number {
    return this.#attempts;
  }

  get exhausted(): boolean {
    return this.#attempts > this.#max;
  }

  /** Whether the next attempt may be the same prompt again, held to the schemas: the first, if there is one. */
  get mayRepeat(): boolean {
    return this.#attempts === 0 && this.#max > 0;
  }

  /** The prompt or the text was repeated, or this is the last attempt: words alone will not help. */
  get stuck(): boolean {
    return this.#repeated || this.#identical || (this.#attempts > 0 && this.#attempts >= this.#max);
  }

  /** @param repeated the next attempt is at the same prompt */
  failed(text: string, repeated = false): void {
    this.#attempts += 1;
    this.#repeated = repeated;
    this.#identical = text === this.#last;
    this.#last = text;
  }

  succeeded(): void {
    this.#attempts = 0;
    this.#last = undefined;
    this.#identical = false;
    this.#repeated = false;
  }

  /**
   * Each attempt is a little cooler. After an identical repeat it is warmer, since the same prompt at a lower
   * temperature would give the same text again; unless the call is `constrained`, which changes the text anyway.
   */
  sampling(base: Sampling, constrained = false): Sampling {
    if (this.#attempts === 0) return base;
    const temperature = base.temperature ?? 0;
    const next =
      this.#identical && !constrained
        ? temperature + Math.max(MIN_NUDGE, 2 * this.#step)
        : Math.max(0, temperature - this.#step * this.#attempts);
    return { ...base, temperature: Math.round(next * PRECISION) / PRECISION };
  }
}

/** Longer schemas are not worth their place in the prompt. */
const MAX_SCHEMA = 4000;

/** Tells the model about a call that could not run: what was wrong, the schema, an example. */
export function feedback(
  call: InvalidCall,
  tools: readonly ToolDefinition[],
  writeCall: ((name: string, args: Readonly<Record<string, unknown>>) => string) | undefined,
): string {
  const lines = [`Error: ${call.message}`];
  const known = tools.find(tool => tool.function.name === call.tool);
  if (known && call.label !== 'wrong_tool') {
    const schema = JSON.stringify(known.function.parameters);
    if (schema.length <= MAX_SCHEMA) lines.push(`Schema of '${known.function.name}': ${schema}`);
  }
  const example = known ?? (call.call ? undefined : tools[0]);
  if (example && writeCall) {
    const { name, parameters } = example.function;
    lines.push(`Write it like this: ${writeCall(name, exampleArguments(parameters))}`);
  }
  if (lines.length > 1) lines.push('Reply with the corrected call only.');
  return lines.join('\n');
}
