import { LlmHostError } from '../../errors.ts';
import type { PolicyTool } from './policy.ts';

/** A call waiting for approval. */
export interface ApprovalRequest extends PolicyTool {
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Aborts when the turn is cancelled, which ends the question. */
  readonly signal?: AbortSignal;
}

/** `always`: this tool of this server, until the program exits. */
export type ApprovalAnswer = 'yes' | 'always' | 'no';
export type Approver = (request: ApprovalRequest) => Promise<ApprovalAnswer>;

/** Asks the user to approve calls, one question at a time. */
export class Approvals {
  readonly #always = new Set<string>();
  #approver: Approver | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** undefined: nobody can be asked, and calls that need approval are refused. */
  set approver(approver: Approver | undefined) {
    this.#approver = approver;
  }

  /**
   * Resolves if the user agrees. Throws LlmHostError: CANCELLED (the signal), TOOL_FAILED with a message for the
   * model.
   */
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
