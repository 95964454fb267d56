import type { ChatModel } from '../../../agent/model/chat-model.ts';
import { RequestTurns } from '../../../agent/requests/request-turns.ts';
import type { Answer, Pass } from '../../../bench/tools/answer.ts';
import type { ToolCase } from '../../../bench/tools/cases/tool-case.ts';
import { LlmHostError } from '../../../errors.ts';
import type { ToolHost } from '../../../mcp/tool-host.ts';
import type { Sampling } from '../../../text/sampling/fields.ts';
import { SeenTurn } from './seen-turn.ts';

const NO_TIMEOUT_MS = 0;

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
