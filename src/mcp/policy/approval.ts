import { LlmHostError } from '../../errors.ts';
import type { PolicyTool } from './policy.ts';

/** A call that waits for the user. */
export interface ApprovalRequest extends PolicyTool {
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Aborted when the turn is cancelled: the question is over. */
  readonly signal?: AbortSignal;
}

/** `always`: this tool of this server, until the program ends. */
export type ApprovalAnswer = 'yes' | 'always' | 'no';
export type Approver = (request: ApprovalRequest) => Promise<ApprovalAnswer>;

/** Asks the user before calls, one question at a time, however many calls wait. */
export class Approvals {
  readonly #always = new Set<string>();
  #approver: Approver | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** Who is asked; undefined: nobody is there, and calls that need an answer are refused. */
  set approver(approver: Approver | undefined) {
    this.#approver = approver;
  }

  /** Resolves when the user agrees. Throws LlmHostError: CANCELLED (the signal), TOOL_FAILED in words for the model. */
  async ask(request: ApprovalRequest): Promise<void> {
    const turn = this.#last.then(() => this.#askNow(request));
    this.#last = turn.catch(() => undefined);
    return await turn;
  }

  async #askNow(request: ApprovalRequest): Promise<void> {
    const { signal, offered } = request;
    const key = JSON.stringify([request.server, request.tool]);
    if (this.#always.has(key)) return;
    if (this.#approver === undefined) {
      throw new LlmHostError(
        'TOOL_FAILED',
        `The tool '${offered}' needs the user's approval, and nobody can be asked`,
      );
    }
    const cancelled = new LlmHostError('CANCELLED', `Tool '${offered}' was cancelled`);
    if (signal?.aborted) throw cancelled;
    const aborted = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(cancelled), { once: true });
    });
    const answer = await Promise.race([this.#approver(request), aborted]);
    if (answer === 'always') this.#always.add(key);
    if (answer === 'no') throw new LlmHostError('TOOL_FAILED', `The user declined the call of '${offered}'`);
  }
}
