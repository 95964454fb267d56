import type { ReplyStats, TurnEvent } from '../../src/agent/events/turn-event.ts';
import type { ChatModel, ReplyEvent, ReplyRequest } from '../../src/agent/model/chat-model.ts';
import type { CallOptions, HostTool, ServerState, ToolHost, ToolOutcome } from '../../src/mcp/tool-host.ts';

export const STATS: ReplyStats = {
  promptTokens: 10,
  cachedTokens: 0,
  generatedTokens: 5,
  firstTokenMs: 1,
  prefillMs: 1,
  decodeMs: 1,
  finishReason: 'stop',
};

export type Step =
  | readonly ReplyEvent[]
  | Error
  | ((request: ReplyRequest) => AsyncGenerator<ReplyEvent, ReplyStats>);

/** Replays one step per reply and keeps the requests. One token per character of all contents. */
export class FakeModel implements ChatModel {
  contextLength = 100_000;
  readonly requests: ReplyRequest[] = [];
  readonly #steps: Step[];

  constructor(steps: Step[]) {
    this.#steps = steps;
  }

  countTokens({ messages }: Pick<ReplyRequest, 'messages'>): number {
    return messages.reduce((sum, message) => sum + message.content.length, 0);
  }

  async *reply(request: ReplyRequest): AsyncGenerator<ReplyEvent, ReplyStats> {
    this.requests.push({ ...request, messages: [...request.messages] });
    const step = this.#steps.shift();
    if (step === undefined) throw new Error('no step left');
    if (step instanceof Error) throw step;
    if (typeof step === 'function') return yield* step(request);
    yield* step;
    return STATS;
  }
}

export type FakeTool = (
  args: Readonly<Record<string, unknown>>,
  options: CallOptions,
) => Promise<ToolOutcome>;

/** Tools as functions, all of one server. */
export class FakeHost implements ToolHost {
  readonly calls: { name: string; args: unknown }[] = [];
  readonly #tools: Readonly<Record<string, FakeTool>>;
  readonly #readOnly: boolean;

  constructor(tools: Readonly<Record<string, FakeTool>>, readOnly = false) {
    this.#tools = tools;
    this.#readOnly = readOnly;
  }

  tools(): readonly HostTool[] {
    return Object.keys(this.#tools).map(name => ({
      definition: { type: 'function', function: { name, parameters: { type: 'object', properties: {} } } },
      server: 'fake',
      tool: name,
      readOnly: this.#readOnly,
    }));
  }

  servers(): readonly ServerState[] {
    return [];
  }

  call(name: string, args: Readonly<Record<string, unknown>>, options: CallOptions): Promise<ToolOutcome> {
    this.calls.push({ name, args });
    const tool = this.#tools[name];
    if (!tool) throw new Error(`no tool ${name}`);
    return tool(args, options);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

export async function collect(events: AsyncIterable<TurnEvent>): Promise<TurnEvent[]> {
  const all: TurnEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

export const content = (text: string): ReplyEvent => ({ type: 'content', text });
export const call = (name: string, args: Record<string, unknown> = {}): ReplyEvent => ({
  type: 'call',
  name,
  arguments: args,
  raw: '',
});
export const answer =
  (text: string, isError = false) =>
  (): Promise<ToolOutcome> =>
    Promise.resolve({ text, isError });
