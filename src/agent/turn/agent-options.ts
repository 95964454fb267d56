import type { History } from '../../chat/history.ts';
import type { ResponseFormat } from '../../grammar/response-format.ts';
import type { ToolHost, ToolSource } from '../../mcp/tool-host.ts';
import type { Sampling } from '../../text/sampling/fields.ts';
import type { AttemptRecord } from '../calls/metrics.ts';
import type { CallApprover } from '../calls/run-tools.ts';
import type { ChatModel, ReplyRequest } from '../model/chat-model.ts';
import type { ToolOffer } from '../offer/tool-offer.ts';
import type { KeptReading } from '../results/kept-reading.ts';
import type { RetryOptions } from './failed-attempts.ts';

/** `auto`: once the model has failed at a call; `always`; `off`: never. */
export type ConstrainMode = 'auto' | 'always' | 'off';

/**
 * `summarize`: before a turn of `Agent.turn` the model summarizes the oldest ones; `trim`: they are left out of the prompt, as
 * they are where that is not enough; `stop`: the turn fails.
 */
export type Overflow = 'summarize' | 'trim' | 'stop';

/** How the model and its tools take turns. */
export interface AgentOptions {
  readonly model: ChatModel;
  readonly tools: ToolSource;
  readonly history: History;
  readonly sampling: Sampling;
  /** Tokens of tool definitions in a prompt; 0: no limit. Default: by the model's context and size. */
  readonly toolBudget?: number;
  /** Tools and servers, by name, that are offered before others. */
  readonly pinnedTools?: readonly string[];
  /** Milliseconds per call. */
  readonly toolTimeoutMs: number;
  /** Characters of a tool result shown to the model at once. Default: depends on the context length. */
  readonly maxResultChars?: number;
  readonly retry?: RetryOptions;
  /** When calls are constrained to the schemas of their tools. Default `auto`. */
  readonly constrain?: ConstrainMode;
  /** Constrains the answer of a turn; one that still does not fit is an error. */
  readonly responseFormat?: ResponseFormat;
  /** When the conversation outgrows the context. Default `trim`. */
  readonly overflow?: Overflow;
}

/** With what the program's own parts set beyond what the library shows. */
export interface TurnOptions extends AgentOptions {
  readonly tools: ToolHost;
  /** Chooses the tools that the model is offered. Default: one with this budget. */
  readonly offer?: ToolOffer;
  /** Receives every attempt at a call; see `metricsFile`. */
  readonly onAttempt?: (record: AttemptRecord) => void;
  /** Tools that the caller runs: a call of one ends the turn. Default: none. */
  readonly handOver?: ReadonlySet<string>;
  /** Who is asked about calls that need approval. Default: the host's approver. */
  readonly approver?: CallApprover | undefined;
  /**
   * Whether calls wait for tasks of servers that outlast the time limit, ten times as long in all: there may be no later turn in
   * which to tell what became of them. Default false.
   */
  readonly awaitTasks?: boolean;
  /** Goes into every request to the model; `toolChoice` only until the first call. */
  readonly reply?: Pick<
    ReplyRequest,
    'logprobs' | 'thinking' | 'toolChoice' | 'responseFormat' | 'singleCall'
  >;
  /** Earlier results of the conversation that can still be read. Default: none. */
  readonly kept?: KeptReading;
  /** Default: `call_1`, `call_2`, ..., none that `history` has. */
  readonly newCallId?: () => string;
}
