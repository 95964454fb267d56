import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { LlmHostError } from '../../errors.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../mcp/policy/approval.ts';
import { ApiError, badRequest } from './api-error.ts';
import type { Client } from './clients.ts';
import type { ApprovalEvent } from './wire-format.ts';

const HEADER = 'x-llm-host-approval';

/** Milliseconds that a question waits for its answer. */
const ANSWER_MS = 300_000;

/** About which calls a client wants to be asked: `rules`, as the terminal would ask; `all`. */
export type ApprovalMode = 'rules' | 'all';

/** Reads the request's header; undefined: nobody can be asked. Throws ApiError 400. */
export function approvalMode(headers: IncomingHttpHeaders, stream: boolean): ApprovalMode | undefined {
  const asked = headers[HEADER];
  if (asked === undefined) return undefined;
  if (asked !== 'rules' && asked !== 'all') throw badRequest(`${HEADER} must be rules or all`, HEADER);
  if (!stream) throw badRequest(`${HEADER} needs "stream": true, since questions come in the stream`, HEADER);
  return asked;
}

/** A client's answer to a question about a call. */
export interface GivenAnswer {
  readonly approve: boolean;
  /** To call with instead. */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

interface Waiting {
  readonly client: Client;
  readonly request: ApprovalRequest;
  readonly settle: (answer: ApprovalAnswer) => void;
}

/**
 * Questions about calls that were sent in streams and wait for their answers. Each has an id that only its stream knows, and
 * ends with an answer, with its time or with its request: without an answer the call is refused.
 */
export class PendingApprovals {
  readonly #waiting = new Map<string, Waiting>();
  readonly #limitMs: number;

  constructor(limitMs = ANSWER_MS) {
    this.#limitMs = limitMs;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** `tell` sends the question. Throws LlmHostError TOOL_REFUSED when its time is up. */
  async ask(
    request: ApprovalRequest,
    callId: string,
    client: Client,
    tell: (event: ApprovalEvent) => void,
  ): Promise<ApprovalAnswer> {
    const approval = randomBytes(16).toString('base64url');
    const { offered: name, server, arguments: args, reason, signal } = request;
    const seconds = Math.ceil(this.#limitMs / 1000);
    let end = (): void => undefined;
    const answered = new Promise<ApprovalAnswer>((resolve, reject) => {
      const late = `Nobody approved the call of '${name}' within ${seconds} s`;
      const timer = setTimeout(() => reject(new LlmHostError('TOOL_REFUSED', late)), this.#limitMs);
      const gone = () => resolve('no');
      signal?.addEventListener('abort', gone, { once: true });
      this.#waiting.set(approval, { client, request, settle: resolve });
      end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', gone);
        this.#waiting.delete(approval);
      };
    });
    tell({ type: 'tool_approval', id: callId, approval, name, server, arguments: args, reason, seconds });
    return await answered.finally(end);
  }

  /** Throws ApiError: 404 for a question that does not wait (any more), 400 for arguments that do not fit; it waits on then. */
  answer(approval: string, client: Client, given: GivenAnswer): void {
    const waiting = this.#waiting.get(approval);
    // Another key's question does not exist.
    if (waiting === undefined || waiting.client.name !== client.name) {
      throw new ApiError(404, 'This question is answered, out of time, or its request has ended', {
        code: 'approval_not_found',
      });
    }
    const { request, settle } = waiting;
    const problem =
      given.approve && given.arguments !== undefined ? request.problem(given.arguments) : undefined;
    if (problem !== undefined) throw badRequest(`arguments: ${problem}`, 'arguments');
    this.#waiting.delete(approval);
    if (!given.approve) settle('no');
    else settle(given.arguments === undefined ? 'yes' : { arguments: given.arguments });
  }
}
