import type { TurnEvent } from '../../../agent/events/turn-event.ts';
import { Conversation } from '../../../agent/turn/conversation.ts';
import type { Answer, Pass } from '../../../bench/tools/answer.ts';
import { CALL_LIMIT_MS, type Services } from '../../../bench/tools/bfcl/services.ts';
import type { Conversation as AskedConversation, ToolCase } from '../../../bench/tools/cases/tool-case.ts';
import { createHistory } from '../../../chat/history.ts';
import type { AnswerOptions } from './answer-case.ts';
import { CaseServices } from './case-services.ts';
import { SeenTurn } from './seen-turn.ts';

/** Replies with calls in a turn; one more ends the conversation, as in BFCL. */
const MAX_STEPS = 20;
/** Events that come with each reply. */
const OF_A_REPLY: readonly TurnEvent['type'][] = ['prefill', 'token', 'thinking', 'stats'];

export interface PlayOptions extends AnswerOptions {
  readonly services: Services;
}

/** Has a model hold a conversation, by the same turns as in a chat. Throws what the next case would meet as well. */
export async function playConversation(one: ToolCase, pass: Pass, options: PlayOptions): Promise<Answer> {
  const conversation = one.conversation as AskedConversation;
  const services = await CaseServices.start(options.services, one.id, conversation);
  try {
    const play = new Play(services, pass, options);
    for (const text of conversation.turns) if (!(await play.turn(text))) break;
    return { id: one.id, pass, ...play.answer() };
  } finally {
    await services.close();
  }
}

class Play {
  readonly #services: CaseServices;
  readonly #conversation: Conversation;
  readonly #signal: AbortSignal;
  readonly #seen = new SeenTurn(performance.now());

  constructor(services: CaseServices, pass: Pass, options: PlayOptions) {
    const { model, systemMessage, sampling, signal } = options;
    this.#services = services;
    this.#signal = AbortSignal.any([signal, services.broken]);
    this.#conversation = new Conversation({
      model,
      tools: services.host,
      history: createHistory(systemMessage || undefined),
      sampling,
      toolTimeoutMs: CALL_LIMIT_MS,
      constrain: pass === 'held' ? 'always' : 'auto',
      overflow: 'summarize',
    });
  }

  /** Whether the conversation goes on. */
  async turn(text: string): Promise<boolean> {
    this.#services.nextTurn();
    const steps = new Steps();
    const quit = new AbortController();
    const signal = AbortSignal.any([this.#signal, quit.signal]);
    for await (const event of this.#conversation.turn(text, signal)) {
      // What fails since it was broken off tells nothing.
      if (event.type !== 'error' || !signal.aborted) this.#seen.add(event);
      steps.add(event);
      if (steps.count > MAX_STEPS && OF_A_REPLY.includes(event.type)) quit.abort();
    }
    return !signal.aborted && this.#seen.error === undefined;
  }

  answer(): Omit<Answer, 'id' | 'pass'> {
    const { turns, fault } = this.#services;
    const { errors } = this.#conversation.metrics.summary();
    const writtenAgain = Object.values(errors).reduce((sum, count) => sum + count, 0);
    return {
      ...this.#seen.answer(turns.flat()),
      turns,
      replies: 1 + writtenAgain,
      ...(fault !== undefined && { fault }),
    };
  }
}

/** Counts replies with calls, also of tools of the host itself. */
class Steps {
  count = 0;
  #counted = false;

  add(event: TurnEvent): void {
    if (event.type === 'stats' && !event.summary) this.#counted = false;
    if (event.type !== 'tool_call' || this.#counted) return;
    this.#counted = true;
    this.count += 1;
  }
}
