import type { ReplyStats, TurnEvent } from '../../agent/events/turn-event.ts';
import type { ChatModel } from '../../agent/model/chat-model.ts';
import { RequestTurns } from '../../agent/requests/request-turns.ts';
import type { Answer, MadeCall, Pass, ToolCase } from '../../bench/tools/tool-case.ts';
import { type ErrorCode, LlmHostError } from '../../errors.ts';
import type { ToolHost } from '../../mcp/tool-host.ts';
import type { Sampling } from '../../text/sampling/fields.ts';

const NO_TIMEOUT_MS = 0;
/** Characters of an answer in words that are kept. */
const MAX_TEXT = 400;
/** Failures of a case, which the next one may not have; any other ends the run. */
const OF_THE_CASE: readonly string[] = ['CONTEXT_FULL', 'TEMPLATE', 'USAGE'] satisfies ErrorCode[];

/** The tools of a case are the client's, as over HTTP: a call that can run ends the turn. */
const NO_SERVERS: ToolHost = {
  tools: () => [],
  servers: () => [],
  call: () => Promise.reject(new LlmHostError('TOOL_FAILED', 'a case has no servers')),
  close: () => Promise.resolve(),
};

export interface AnswerOptions {
  readonly model: ChatModel;
  readonly systemMessage: string;
  readonly sampling: Sampling;
  readonly signal: AbortSignal;
}

/** Asks a model, by the same turn that `serve` gives a client. Throws what the next case would meet as well. */
export async function answerCase(one: ToolCase, pass: Pass, options: AnswerOptions): Promise<Answer> {
  const { model, systemMessage, sampling, signal } = options;
  const turns = new RequestTurns({
    model,
    systemMessage,
    tools: NO_SERVERS,
    toolTimeoutMs: NO_TIMEOUT_MS,
    sampling,
    constrain: pass === 'held' ? 'always' : 'auto',
  });
  const turn = turns.open({
    messages: one.messages,
    tools: one.tools,
    toolChoice: 'auto',
    sampling: {},
    overflow: 'stop',
    ours: false,
  });
  const started = performance.now();
  const seen = new SeenTurn(started);
  const run = turn.run({ acquire: () => Promise.resolve(() => undefined), signal });
  let step = await run.next();
  for (; !step.done; step = await run.next()) seen.add(step.value);
  const calls = step.value.map(({ function: { name, arguments: args } }) => ({ name, arguments: args }));
  return { id: one.id, pass, ...seen.answer(calls) };
}

/** Collects an answer from the events of a turn. */
class SeenTurn {
  readonly #started: number;
  readonly #replies: ReplyStats[] = [];
  #firstSeconds = 0;
  #text = '';
  #error: string | undefined;

  constructor(started: number) {
    this.#started = started;
  }

  add(event: TurnEvent): void {
    if (event.type === 'stats') {
      this.#replies.push(event.stats);
      if (this.#replies.length === 1) this.#firstSeconds = this.#seconds();
    }
    if (event.type === 'assistant') this.#text = event.text;
    if (event.type !== 'error') return;
    if (!OF_THE_CASE.includes(event.code))
      throw new LlmHostError(event.code as ErrorCode, event.message, event.hint ? { hint: event.hint } : {});
    this.#error = event.code;
  }

  answer(calls: readonly MadeCall[]): Omit<Answer, 'id' | 'pass'> {
    const [first] = this.#replies;
    return {
      calls,
      replies: this.#replies.length,
      text: this.#text.slice(0, MAX_TEXT),
      promptTokens: first?.promptTokens ?? 0,
      firstTokens: first?.generatedTokens ?? 0,
      generatedTokens: this.#replies.reduce((sum, { generatedTokens }) => sum + generatedTokens, 0),
      firstSeconds: this.#firstSeconds,
      seconds: this.#seconds(),
      error: this.#error,
    };
  }

  #seconds(): number {
    return Math.round(performance.now() - this.#started) / 1000;
  }
}
