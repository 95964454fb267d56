import type { History } from '../chat/history.ts';
import type { Message, ToolCall } from '../chat/message.ts';
import { LlmHostError, messageOf } from '../errors.ts';
import type { ToolHost } from '../mcp/tool-host.ts';
import type { ChatModel, Sampling } from './chat-model.ts';
import { fitContext } from './fit-context.ts';
import { RepeatGuard } from './repeat-guard.ts';
import { resultLimit } from './result-limit.ts';
import { type CallRecord, hostNotices, runTools } from './run-tools.ts';
import type { ReplyStats, TurnEvent } from './turn.ts';

export interface AgentOptions {
  readonly model: ChatModel;
  readonly tools: ToolHost;
  readonly history: History;
  readonly sampling: Sampling;
  /** Milliseconds per call. */
  readonly toolTimeoutMs: number;
  /** Characters of a tool result that the model sees. Default: by the size of the context. */
  readonly maxResultChars?: number;
  /** Replies in a row that may hold nothing but unreadable calls before the turn ends. Default 2. */
  readonly maxRetries?: number;
}

/** What one reply of the model came to. */
interface Reply {
  content: string;
  thinking: string;
  readonly calls: ToolCall[];
  readonly malformed: { raw: string; reason: string }[];
  stats: ReplyStats | undefined;
}

/** Runs turns: prompt, replies and tool calls until the model answers without calling a tool. */
export class Agent {
  readonly #options: AgentOptions;
  #callCount = 0;

  constructor(options: AgentOptions) {
    this.#options = options;
  }

  /** Forgets the conversation; the system message stays. */
  clear(): void {
    this.#options.history.clear();
  }

  /**
   * One turn as a stream of events; the history grows as it goes. A failure of the engine becomes an `error`
   * event and takes the turn back out of the history; an abort keeps what was said so far.
   */
  async *turn(input: string, signal?: AbortSignal): AsyncGenerator<TurnEvent> {
    const { history } = this.#options;
    const mark = history.mark();
    try {
      yield* hostNotices(this.#options.tools);
      history.add({ role: 'user', content: yield* this.#prepared(input, signal) });
      yield* this.#rounds(signal);
    } catch (error) {
      history.rollback(mark);
      const code = error instanceof LlmHostError ? error.code : 'UNEXPECTED';
      const hint = error instanceof LlmHostError ? error.hint : undefined;
      yield { type: 'error', code, message: messageOf(error), ...(hint && { hint }) };
    }
  }

  /** The input with the resources or the prompt of a server that it names. */
  async *#prepared(input: string, signal: AbortSignal | undefined): AsyncGenerator<TurnEvent, string> {
    const { tools, toolTimeoutMs } = this.#options;
    if (tools.prepareInput === undefined) return input;
    const options = { timeoutMs: toolTimeoutMs, ...(signal && { signal }) };
    const { text, notices } = await tools.prepareInput(input, options);
    for (const message of notices) yield { type: 'notice', message };
    return text;
  }

  async *#rounds(signal: AbortSignal | undefined): AsyncGenerator<TurnEvent> {
    const guard = new RepeatGuard();
    let said = '';
    for (let failures = 0; ; ) {
      const reply = yield* this.#reply(signal);
      said = [said, reply.content.trim()].filter(Boolean).join('\n');
      const cancelled = reply.stats?.finishReason === 'cancelled';
      this.#remember(reply, cancelled);
      if (cancelled || (reply.calls.length === 0 && reply.malformed.length === 0)) {
        yield* lengthNotice(reply);
        yield { type: 'assistant', text: said, cancelled };
        return;
      }
      yield* this.#reportMalformed(reply);
      const records = yield* this.#callTools(reply, signal);
      failures = reply.calls.length > 0 ? 0 : failures + 1;
      const repeated = guard.check(records);
      if (repeated) yield { type: 'notice', message: repeated };
      const stop = signal?.aborted
        ? 'cancelled'
        : failures > (this.#options.maxRetries ?? 2)
          ? 'The model could not write a readable tool call; the turn ends here.'
          : undefined;
      if (stop) {
        if (stop !== 'cancelled') yield { type: 'notice', message: stop };
        yield { type: 'assistant', text: said, cancelled: stop === 'cancelled' };
        return;
      }
    }
  }

  async *#reply(signal: AbortSignal | undefined): AsyncGenerator<TurnEvent, Reply> {
    const { model, history, sampling } = this.#options;
    const tools = this.#options.tools.tools().map(tool => tool.definition);
    const { messages, droppedTurns } = fitContext(model, history.messages, tools);
    if (droppedTurns > 0) {
      const turns = droppedTurns === 1 ? 'The oldest turn does' : `The ${droppedTurns} oldest turns do`;
      yield {
        type: 'notice',
        message: `${turns} not fit the context of ${model.contextLength} tokens and ${droppedTurns === 1 ? 'was' : 'were'} left out.`,
      };
    }
    const reply: Reply = { content: '', thinking: '', calls: [], malformed: [], stats: undefined };
    const events = model.reply({ messages, tools, sampling, ...(signal && { signal }) });
    for (let step = await events.next(); ; step = await events.next()) {
      if (step.done) {
        reply.stats = step.value;
        yield { type: 'stats', stats: step.value };
        return reply;
      }
      const event = step.value;
      switch (event.type) {
        case 'prefill':
          yield event;
          break;
        case 'content':
          reply.content += event.text;
          yield { type: 'token', text: event.text };
          break;
        case 'thinking':
          reply.thinking += event.text;
          yield { type: 'thinking', text: event.text };
          break;
        case 'call':
          reply.calls.push(this.#newCall(event.name, event.arguments));
          break;
        case 'malformed':
          reply.malformed.push({ raw: event.raw, reason: event.reason });
          break;
      }
    }
  }

  #newCall(name: string, args: Readonly<Record<string, unknown>>): ToolCall {
    this.#callCount += 1;
    return { id: `call_${this.#callCount}`, type: 'function', function: { name, arguments: args } };
  }

  /** Puts the reply into the history; a cancelled reply keeps its text but none of its calls. */
  #remember(reply: Reply, cancelled: boolean): void {
    const broken = reply.malformed.map(part => part.raw).join('\n');
    const content = [reply.content.trim(), cancelled ? '' : broken].filter(Boolean).join('\n');
    const message: Message = {
      role: 'assistant',
      content,
      ...(reply.thinking && { reasoning_content: reply.thinking }),
      ...(!cancelled && reply.calls.length > 0 && { tool_calls: reply.calls }),
    };
    this.#options.history.add(message);
  }

  *#reportMalformed(reply: Reply): Generator<TurnEvent> {
    for (const part of reply.malformed) {
      const id = this.#newCall('', {}).id;
      const message = `The tool call could not be read: ${part.reason}`;
      yield { type: 'tool_error', id, name: '', message, seconds: 0 };
      this.#options.history.add({
        role: 'tool',
        tool_call_id: id,
        name: '',
        content: `Error: ${message}. Write it as <tool_call>{"name": ..., "arguments": {...}}</tool_call>.`,
      });
    }
  }

  async *#callTools(reply: Reply, signal: AbortSignal | undefined): AsyncGenerator<TurnEvent, CallRecord[]> {
    if (reply.calls.length === 0) return [];
    const { tools, toolTimeoutMs, history, model } = this.#options;
    const records = yield* runTools(tools, reply.calls, {
      timeoutMs: toolTimeoutMs,
      maxResultChars: this.#options.maxResultChars ?? resultLimit(model.contextLength),
      signal,
    });
    for (const { call, content } of records) {
      history.add({ role: 'tool', tool_call_id: call.id, name: call.function.name, content });
    }
    return records;
  }
}

function* lengthNotice(reply: Reply): Generator<TurnEvent> {
  const reason = reply.stats?.finishReason;
  if (reason === 'length') yield { type: 'notice', message: 'The reply was cut at --max-tokens.' };
  if (reason === 'full')
    yield { type: 'notice', message: 'The context is full; the reply was cut. Type "clear" to start over.' };
}
