import type { ToolCall } from '../../chat/message.ts';
import { LlmHostError, messageOf } from '../../errors.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../mcp/policy/approval.ts';
import type { Progress, ToolHost } from '../../mcp/tool-host.ts';
import { formatArguments } from '../../text/console-format.ts';
import { duration } from '../../text/duration.ts';
import type { TurnEvent } from '../events/turn-event.ts';

/** Asks the user of one turn about its calls, by the id of each. */
export interface CallApprover {
  ask(request: ApprovalRequest, callId: string): Promise<ApprovalAnswer>;
  /** Whether about every call, or as the rules say. */
  readonly everyCall: boolean;
}

export interface RunToolsOptions {
  readonly timeoutMs: number;
  /** Cuts a tool's result to the part that the model sees. */
  readonly cut: (tool: string, text: string) => string;
  readonly signal?: AbortSignal | undefined;
  /** Default: the host's approver is asked. */
  readonly approver?: CallApprover | undefined;
  /** Whether tasks of servers that outlast the limit are waited for. Default: they go on in the background. */
  readonly awaitTasks?: boolean | undefined;
}

/** The result of a call for the model. */
export interface CallRecord {
  readonly call: ToolCall;
  readonly content: string;
}

/**
 * Runs the calls of a reply and yields their events as they happen; returns the results in call order. Calls run in
 * parallel only if all their tools are read-only.
 */
export async function* runTools(
  host: ToolHost,
  calls: readonly ToolCall[],
  options: RunToolsOptions,
): AsyncGenerator<TurnEvent, CallRecord[]> {
  const readOnly = new Set(
    host.tools().flatMap(tool => (tool.readOnly ? [tool.definition.function.name] : [])),
  );
  const parallel = calls.length > 1 && calls.every(call => readOnly.has(call.function.name));
  const progress = new ToolProgress<TurnEvent>();
  const records: CallRecord[] = [];
  const begin = (call: ToolCall): Promise<Finished> =>
    runOne(host, call, options, event => progress.push(event));
  if (parallel) for (const call of calls) yield announce(call);
  const running = parallel ? calls.map(begin) : [];
  for (const [index, call] of calls.entries()) {
    if (!parallel) yield announce(call);
    const { event, content } = yield* progress.during(running[index] ?? begin(call));
    yield event;
    yield* hostNotices(host);
    records.push({ call, content });
  }
  return records;
}

/** News of the servers. */
export function* hostNotices(host: ToolHost): Generator<TurnEvent> {
  for (const message of host.takeNotices?.() ?? []) yield { type: 'notice', message };
}

interface Finished {
  readonly event: TurnEvent;
  readonly content: string;
}

function announce(call: ToolCall): TurnEvent {
  return { type: 'tool_call', id: call.id, name: call.function.name, arguments: call.function.arguments };
}

/** `3 of 4: the message`, as far as the server says. A number of nothing says less than the message. */
function progressText({ done, total, message }: Progress): string {
  if (total === undefined && message !== undefined) return message;
  const count = total === undefined ? `${done}` : `${done} of ${total}`;
  return message === undefined ? count : `${count}: ${message}`;
}

function longTask(name: string, limitMs: number): string {
  const limit = duration(limitMs / 1000);
  return `'${name}' is still at work as a task; its result is waited for, ${limit} in all.`;
}

async function runOne(
  host: ToolHost,
  call: ToolCall,
  options: RunToolsOptions,
  emit: (event: TurnEvent) => void,
): Promise<Finished> {
  const name = call.function.name;
  const { approver } = options;
  const clock = new CallClock();
  /** For the model: the user has changed its call. */
  let changed = '';
  const failed = (text: string, refused = false): Finished => {
    // Readers print their own label; the model always sees the word.
    const message = text.replace(/^Error: /, '');
    return {
      event: {
        type: 'tool_error',
        id: call.id,
        name,
        message,
        seconds: clock.seconds,
        ...(refused && { refused }),
      },
      content: changed + options.cut(name, `Error: ${message}`),
    };
  };
  if (options.signal?.aborted) return failed('Cancelled by the user');
  try {
    const outcome = await host.call(name, call.function.arguments, {
      timeoutMs: options.timeoutMs,
      signal: options.signal,
      ...(approver && {
        approver: { ask: request => approver.ask(request, call.id), everyCall: approver.everyCall },
      }),
      onProgress: progress => emit({ type: 'tool_progress', id: call.id, message: progressText(progress) }),
      ...(options.awaitTasks && {
        onLongTask: limitMs => emit({ type: 'notice', message: longTask(name, limitMs) }),
      }),
      onWaiting: waiting => clock.setWaiting(waiting),
      onPermit: permit => {
        clock.addWait(permit.waitedMs);
        if (permit.changed === undefined) return;
        changed = `[The user changed the arguments to ${JSON.stringify(permit.changed)}]\n`;
        emit({ type: 'notice', message: `Calling ${name}(${formatArguments(permit.changed)}) instead` });
      },
    });
    if (outcome.isError) return failed(outcome.text);
    return {
      event: {
        type: 'tool_result',
        id: call.id,
        name,
        text: outcome.text,
        seconds: clock.seconds,
        ...(outcome.saved && { saved: outcome.saved }),
      },
      content: changed + options.cut(name, outcome.whole ?? outcome.text),
    };
  } catch (error) {
    if (error instanceof LlmHostError && error.code === 'CANCELLED') return failed('Cancelled by the user');
    return failed(messageOf(error), error instanceof LlmHostError && error.code === 'TOOL_REFUSED');
  }
}

/** How long a call takes without the time in which the user was asked something. */
export class CallClock {
  readonly #started = performance.now();
  #waitedMs = 0;
  #waitingSince: number | undefined;

  /** The user has been asked about the call for so long. */
  addWait(ms: number): void {
    this.#waitedMs += ms;
  }

  /** The call's server begins or ends to wait for the user. */
  setWaiting(waiting: boolean): void {
    const now = performance.now();
    if (waiting) {
      this.#waitingSince ??= now;
    } else if (this.#waitingSince !== undefined) {
      this.addWait(now - this.#waitingSince);
      this.#waitingSince = undefined;
    }
  }

  get seconds(): number {
    const now = performance.now();
    return Math.max(0, (this.#waitingSince ?? now) - this.#started - this.#waitedMs) / 1000;
  }
}

/** Progress that running tools report, kept until it is read. */
class ToolProgress<T> {
  #items: T[] = [];
  #wake: (() => void) | undefined;

  push(item: T): void {
    this.#items.push(item);
    this.#wake?.();
  }

  /** Yields everything pushed until `work` settles, as it arrives; then returns (or throws) what `work` did. */
  async *during<R>(work: Promise<R>): AsyncGenerator<T, R> {
    let settled = false;
    const end = (): void => {
      settled = true;
      this.#wake?.();
    };
    work.then(end, end);
    while (true) {
      const items = this.#items;
      this.#items = [];
      yield* items;
      if (this.#items.length > 0) continue;
      if (settled) return await work;
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}
