import { answerApproval } from '../api/answer-approval.ts';
import { failureOf } from '../api/api-failure.ts';
import type { StreamEvent } from '../api/chat-stream.ts';
import type { CallPart } from '../conversation/types.ts';
import type { ChatState } from './chat-state.ts';
import type { Store } from './store.ts';

type Asked = Extract<StreamEvent, { type: 'tool_approval' }>;

/** `conversation`: also the later calls of this tool in this conversation, until the page is closed. */
export type Answer =
  | 'yes'
  | 'no'
  | 'conversation'
  | { readonly arguments: Readonly<Record<string, unknown>> };

/** The user's answers to questions about calls. */
export class Approvals {
  readonly #store: Store<ChatState>;
  readonly #allowed = new Set<string>();

  constructor(store: Store<ChatState>) {
    this.#store = store;
  }

  /** A question has come: it is answered at once if the user has allowed the tool. */
  asked(conversationId: string, { server, name, approval }: Asked): void {
    if (this.#allowed.has(keyOf(conversationId, server, name))) void this.#send(approval, 'yes');
    else this.#store.set({ announced: `The tool ${name} waits for your approval.` });
  }

  async answer(
    conversationId: string,
    { question, server = '', name }: CallPart,
    answer: Answer,
  ): Promise<void> {
    if (!question) return;
    if (answer === 'conversation') this.#allowed.add(keyOf(conversationId, server, name));
    await this.#send(question.approval, answer);
  }

  /** The question waits again only if the answer could not be sent. */
  async #send(approval: string, answer: Answer): Promise<void> {
    if (this.#store.state.answered.has(approval)) return;
    this.#setAnswered(approval, answer !== 'no');
    try {
      await answerApproval(approval, {
        approve: answer !== 'no',
        ...(typeof answer === 'object' && { arguments: answer.arguments }),
      });
    } catch (error) {
      this.#setAnswered(approval, undefined);
      this.#store.set({ notice: failureOf(error).message });
    }
  }

  #setAnswered(approval: string, approved: boolean | undefined): void {
    const answered = new Map(this.#store.state.answered);
    if (approved === undefined) answered.delete(approval);
    else answered.set(approval, approved);
    this.#store.set({ answered });
  }
}

function keyOf(conversationId: string, server: string, name: string): string {
  return JSON.stringify([conversationId, server, name]);
}
