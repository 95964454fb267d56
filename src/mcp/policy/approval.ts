import { LlmHostError, messageOf } from '../../errors.ts';
import { checkSchema, isNotChecked } from '../../parse/json/schema-check.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';
import type { AllowedTool, AllowedTools } from './allowed-tools.ts';
import type { PolicyTool } from './policy.ts';

export type CallArguments = Readonly<Record<string, unknown>>;

/** A call waiting for approval. */
export interface ApprovalRequest extends PolicyTool {
  readonly arguments: CallArguments;
  /** `destructive`: it may delete or overwrite something; `rule`: every call of this tool is to be asked about. */
  readonly reason: 'destructive' | 'rule';
  /** Where `always` is kept; undefined: only until the program exits. */
  readonly savedIn: string | undefined;
  /** The fault of other arguments for the call; undefined: none. */
  readonly problem: (args: unknown) => string | undefined;
  /** Aborts when the turn is cancelled, which ends the question. */
  readonly signal?: AbortSignal;
}

/**
 * `yes`: this once. `conversation`: this tool of this server, until the conversation ends. `always`: also in later
 * conversations and runs, as long as the server's command line and the tool's definition stay the same. Or with which
 * arguments to call instead.
 */
export type ApprovalAnswer = 'yes' | 'conversation' | 'always' | 'no' | { readonly arguments: CallArguments };
export type Approver = (request: ApprovalRequest) => Promise<ApprovalAnswer>;

/** Who is asked about the calls of one turn, in place of the host's approver. */
export interface TurnApprover {
  readonly ask: Approver;
  /** About every call, as with `askAll`. */
  readonly everyCall: boolean;
}

/** The call to be approved. */
export interface ApprovalSubject extends PolicyTool {
  readonly arguments: CallArguments;
  readonly reason: ApprovalRequest['reason'];
  /** The schema of its arguments. */
  readonly parameters: object;
  /** The key that `always` is remembered by; undefined: it cannot be saved. */
  readonly identity: AllowedTool | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Asks the user to approve calls, one question at a time. */
export class Approvals {
  readonly #saved: AllowedTools | undefined;
  readonly #always = new Set<string>();
  readonly #conversation = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();
  /** undefined: nobody can be asked. */
  approver: Approver | undefined;

  /** `saved` keeps `always` beyond this run. */
  constructor(saved?: AllowedTools) {
    this.#saved = saved;
  }

  /** Asks again about calls that were allowed for the conversation. */
  endConversation(): void {
    this.#conversation.clear();
  }

  /** Withdraws every approval of this tool, here and in the file; returns whether there was any. */
  takeBack(tool: string): boolean {
    const ofTool = (key: string) => (JSON.parse(key) as readonly string[])[1] === tool;
    const taken = [this.#always, this.#conversation].flatMap(set =>
      [...set].filter(ofTool).map(key => set.delete(key)),
    );
    return (this.#saved?.remove(tool) ?? 0) > 0 || taken.length > 0;
  }

  /**
   * Resolves with the arguments to call with if the user agrees. Throws LlmHostError: CANCELLED (the signal),
   * TOOL_REFUSED with a message for the model.
   */
  async ask(subject: ApprovalSubject): Promise<CallArguments> {
    const { signal, offered } = subject;
    let cancel = (): void => undefined;
    const cancelled = new Promise<never>((_, reject) => {
      cancel = () => reject(new LlmHostError('CANCELLED', `Tool '${offered}' was cancelled`));
    });
    const turn = this.#last.then(() => this.#askNow(subject, cancelled));
    this.#last = turn.catch(() => undefined);
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      // Another chat's question, which comes first, may be open for long.
      return await Promise.race([turn, cancelled]);
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  async #askNow(subject: ApprovalSubject, cancelled: Promise<never>): Promise<CallArguments> {
    const { signal, offered } = subject;
    if (this.#isAllowed(subject)) return subject.arguments;
    if (this.approver === undefined) {
      throw new LlmHostError(
        'TOOL_REFUSED',
        `The tool '${offered}' needs the user's approval, and nobody can be asked`,
      );
    }
    if (signal?.aborted) return await cancelled;
    const request: ApprovalRequest = {
      offered,
      tool: subject.tool,
      server: subject.server,
      arguments: subject.arguments,
      reason: subject.reason,
      savedIn: subject.identity && this.#saved?.path,
      problem: args => problemWith(args, subject.parameters),
      ...(signal && { signal }),
    };
    return this.#take(await Promise.race([this.approver(request), cancelled]), subject, request);
  }

  #take(answer: ApprovalAnswer, subject: ApprovalSubject, request: ApprovalRequest): CallArguments {
    const { offered, arguments: args } = subject;
    if (answer === 'no') throw new LlmHostError('TOOL_REFUSED', `The user declined the call of '${offered}'`);
    if (answer === 'conversation') this.#conversation.add(keyOf(subject));
    if (answer === 'always') this.#remember(subject);
    if (typeof answer === 'string') return args;
    const problem = request.problem(answer.arguments);
    if (problem === undefined) return answer.arguments;
    throw new LlmHostError('TOOL_REFUSED', `The user's arguments for '${offered}' do not fit: ${problem}`);
  }

  /** An approval saved in an earlier run answers neither `--ask` nor a rule: those ask about every call. */
  #isAllowed(subject: ApprovalSubject): boolean {
    const key = keyOf(subject);
    if (this.#always.has(key) || this.#conversation.has(key)) return true;
    const { identity, reason } = subject;
    return reason === 'destructive' && identity !== undefined && this.#saved?.has(identity) === true;
  }

  #remember(subject: ApprovalSubject): void {
    this.#always.add(keyOf(subject));
    if (subject.identity === undefined || this.#saved === undefined) return;
    try {
      this.#saved.add(subject.identity);
    } catch (error) {
      this.#saved.warn(`Your answer cannot be saved in ${this.#saved.path}: ${messageOf(error)}`);
    }
  }
}

/** Another definition of the tool is another tool. */
function keyOf({ server, tool, identity }: ApprovalSubject): string {
  return JSON.stringify([server, tool, identity?.launch, identity?.definition]);
}

function problemWith(args: unknown, parameters: object): string | undefined {
  if (!isPlainObject(args)) return 'the arguments must be a JSON object';
  const problems = checkSchema(parameters, args);
  const [first] = problems;
  if (!first || isNotChecked(problems)) return undefined;
  return `${first.path}: expected ${first.expected}${first.got === undefined ? '' : `, got ${first.got}`}`;
}
