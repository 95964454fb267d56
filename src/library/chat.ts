import type { TurnEvent } from '../agent/events/turn-event.ts';
import type { ChatModel } from '../agent/model/chat-model.ts';
import { withoutReadingNotes } from '../agent/results/kept-reading.ts';
import type { Overflow } from '../agent/turn/agent-options.ts';
import { Conversation, type Question } from '../agent/turn/conversation.ts';
import { createHistory } from '../chat/history.ts';
import type { Message } from '../chat/message.ts';
import { LlmHostError } from '../errors.ts';
import { checkResponseFormat, type ResponseFormat } from '../grammar/response-format.ts';
import type { McpHost } from '../mcp/host/mcp-host.ts';
import type { Approver } from '../mcp/policy/approval.ts';
import type { Sampling } from '../text/sampling/fields.ts';
import { unlessAborted } from '../text/unless-aborted.ts';
import { FunctionHost, type FunctionTool, JoinedHost } from './function-host.ts';
import { startMcpServers } from './mcp-servers.ts';
import { newReply, type Reply, type ReplySource } from './reply.ts';
import { samplingOf } from './sampling-of.ts';
import { type Infer, jsonSchemaOf, readBySchema, type Schema } from './schema.ts';

export interface ChatOptions extends Sampling {
  /** The system message. Default: none. */
  readonly system?: string;
  /** Functions of this program, by the names the model calls them. */
  readonly tools?: Readonly<Record<string, FunctionTool>>;
  /** The path of an mcp.json, or an object in its shape. Its servers start with the first message. */
  readonly mcp?: string | Readonly<Record<string, unknown>>;
  /** An earlier conversation to continue: `chat.messages` of then. It has its own system message. */
  readonly messages?: readonly Message[];
  /** Whether the model thinks before it answers. Default: as its template says. */
  readonly thinking?: boolean;
  /** Milliseconds for a call of a tool, above 0; Infinity: as long as it takes. Default 90,000. */
  readonly toolTimeoutMs?: number;
  /** Tokens of tool definitions in a prompt; 0: no limit. Default: by the model's context and size. */
  readonly toolBudget?: number;
  /** When the conversation outgrows the context. Default `summarize`. */
  readonly overflow?: Overflow;
  /** Asked about calls of MCP tools whose entry says `"approval": "ask"`; without it those are refused. */
  readonly approve?: Approver;
  /** Lines of an MCP server's stderr and its log messages. */
  readonly onLog?: (server: string, line: string) => void;
}

export interface SendOptions<S extends Schema> {
  /** Cancels the reply. */
  readonly signal?: AbortSignal;
  /** The reply must be JSON that fits this schema; `value` is what it says. */
  readonly schema?: S;
}

const TOOL_TIMEOUT_MS = 90_000;

/** For `Model.chat`. @throws LlmHostError USAGE: options that cannot be */
export let newChat: (model: ChatModel, options: ChatOptions, onClose: (chat: Chat) => void) => Chat;

/** A conversation. Its messages are answered one after another, in the order they are sent. */
export class Chat implements AsyncDisposable {
  static {
    newChat = (model, options, onClose) => new Chat(model, options, onClose);
  }

  readonly #options: ChatOptions;
  readonly #tools: JoinedHost;
  readonly #conversation: Conversation;
  readonly #onClose: (chat: Chat) => void;
  #servers: Promise<McpHost> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  /** Replies that are running or waiting. */
  #waiting = 0;

  private constructor(model: ChatModel, options: ChatOptions, onClose: (chat: Chat) => void) {
    const { toolTimeoutMs = TOOL_TIMEOUT_MS, overflow = 'summarize', toolBudget, thinking } = options;
    const sampling = samplingOf(options);
    checkTimeout(toolTimeoutMs);
    this.#options = options;
    this.#onClose = onClose;
    const history = createHistory(options.system);
    if (options.messages !== undefined) history.replace(withoutReadingNotes(options.messages));
    this.#tools = new JoinedHost(new FunctionHost(options.tools ?? {}));
    this.#conversation = new Conversation({
      model,
      tools: this.#tools,
      history,
      sampling,
      toolTimeoutMs,
      toolBudget,
      overflow,
      awaitTasks: true,
      reply: { thinking },
    });
  }

  /** The conversation so far, to be kept and given to another chat's `messages`. */
  get messages(): readonly Message[] {
    return this.#conversation.history.messages;
  }

  /** Sends a message and gets the reply to it, with all calls of tools that it takes. */
  send<S extends Schema = never>(
    text: string,
    { signal, schema }: SendOptions<S> = {},
  ): Reply<[S] extends [never] ? undefined : Infer<S>> {
    const source = schema === undefined ? this.#plain(text) : this.#formatted(text, schema);
    const { closing } = this.#conversation;
    const both = signal ? AbortSignal.any([signal, closing]) : closing;
    const reply = newReply<never>(source as ReplySource<never>, this.#last, both);
    // A failed reply does not concern the next one.
    this.#waiting += 1;
    const ended = () => {
      this.#waiting -= 1;
    };
    this.#last = reply.then(ended, ended);
    return reply;
  }

  /** Forgets the conversation but for the system message. @throws LlmHostError USAGE while a reply is under way */
  clear(): void {
    this.#mustBeIdle();
    this.#conversation.clear();
  }

  /**
   * Undoes the last message and its reply; false: there is none.
   * @throws LlmHostError USAGE while a reply is under way
   */
  undo(): boolean {
    this.#mustBeIdle();
    return this.#conversation.history.undoTurn();
  }

  /** Cancels replies under way and ends the servers of the chat. Called twice, it does nothing more. */
  async close(): Promise<void> {
    await this.#conversation.close();
    await this.#last;
    await this.#servers?.then(
      host => host.close(),
      () => undefined,
    );
    this.#onClose(this);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #mustBeIdle(): void {
    if (this.#waiting > 0) throw new LlmHostError('USAGE', 'A reply of this chat is already running');
  }

  #plain(text: string): ReplySource<undefined> {
    return { events: signal => this.#turn({ text }, signal), read: async () => undefined };
  }

  #formatted(text: string, schema: Schema): ReplySource<unknown> {
    const format: ResponseFormat = { type: 'json_schema', schema: jsonSchemaOf(schema) };
    checkResponseFormat(format);
    return {
      events: signal => this.#turn({ text, format }, signal),
      read: async said => {
        const read = await readBySchema(schema, parsed(said));
        if ('value' in read) return read.value;
        throw new LlmHostError('RESPONSE_FORMAT', `The reply does not fit the schema: ${read.problem}`);
      },
    };
  }

  #turn(question: Question, signal: AbortSignal): AsyncGenerator<TurnEvent> {
    return this.#conversation.run(signal, stop => this.#answer(question, stop));
  }

  async *#answer(question: Question, signal: AbortSignal): AsyncGenerator<TurnEvent> {
    if (this.#conversation.closing.aborted) throw new LlmHostError('USAGE', 'The chat is closed');
    // A cancelled turn does not wait for them; they continue to start, for the next message.
    const servers = signal.aborted ? undefined : await unlessAborted(this.#startedServers(), signal);
    if (servers) this.#tools.join(servers);
    yield* this.#conversation.answer(question, signal);
  }

  #startedServers(): Promise<McpHost | undefined> {
    const { mcp, approve, onLog } = this.#options;
    if (mcp === undefined) return Promise.resolve(undefined);
    if (this.#servers) return this.#servers;
    const starting = startMcpServers(mcp, { approve, onLog, signal: this.#conversation.closing });
    this.#servers = starting;
    starting.catch(() => {
      // The next message tries again.
      this.#servers = undefined;
    });
    return starting;
  }
}

function checkTimeout(ms: unknown): void {
  if (typeof ms === 'number' && ms > 0) return;
  throw new LlmHostError('USAGE', `toolTimeoutMs must be a number above 0, got ${String(ms)}`);
}

/** Throws LlmHostError RESPONSE_FORMAT for a reply that was cut off, by its length or a full context. */
function parsed(reply: string): unknown {
  try {
    return JSON.parse(reply);
  } catch (cause) {
    throw new LlmHostError('RESPONSE_FORMAT', 'The reply ended before its JSON was complete', { cause });
  }
}
