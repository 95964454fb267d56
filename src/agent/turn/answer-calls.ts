import type { History } from '../../chat/history.ts';
import type { ToolHost } from '../../mcp/tool-host.ts';
import type { UncheckedCalls } from '../calls/call-notices.ts';
import type { ToolMetrics } from '../calls/metrics.ts';
import { type CallApprover, type CallRecord, runTools } from '../calls/run-tools.ts';
import type { InvalidCall, ValidatedCalls } from '../calls/validate-calls.ts';
import type { TurnEvent } from '../events/turn-event.ts';
import { feedback, invalidCallEvents } from './failed-attempts.ts';
import { toolMessage } from './reply.ts';

export interface AnswerCallsParts {
  readonly tools: ToolHost;
  readonly history: History;
  readonly metrics: ToolMetrics;
  readonly unchecked: UncheckedCalls;
  /** Per call. */
  readonly timeoutMs: number;
  /** Cuts a tool's result to the part that the model sees. */
  readonly cut: (tool: string, text: string) => string;
  /** For a call that could not be read, which has no id of its own. */
  readonly newCallId: () => string;
  /** How often the model had tried before. */
  readonly attempt: number;
  readonly signal: AbortSignal | undefined;
  readonly approver: CallApprover | undefined;
  readonly awaitTasks: boolean | undefined;
}

/** Runs the valid calls; the invalid ones are answered with what was wrong. All results go into the history. */
export async function* answerCalls(
  { valid, invalid }: ValidatedCalls,
  {
    tools,
    history,
    metrics,
    unchecked,
    timeoutMs,
    cut,
    newCallId,
    attempt,
    signal,
    approver,
    awaitTasks,
  }: AnswerCallsParts,
): AsyncGenerator<TurnEvent, CallRecord[]> {
  yield* unchecked.notices(valid, tools);
  for (const { call, repairs } of valid) metrics.attempt(call.function.name, 'ok', attempt, repairs);
  const calls = valid.map(({ call }) => call);
  const records = yield* runTools(tools, calls, { timeoutMs, cut, signal, approver, awaitTasks });
  yield* invalidCallEvents(invalid, newCallId);
  for (const { tool, label } of invalid) {
    metrics.attempt(tool ?? '', label, attempt);
    // If the model tries again, that counts as a new call.
    metrics.gaveUp();
  }
  const definitions = tools.tools().map(tool => tool.definition);
  const explain = (one: InvalidCall) => feedback(one, definitions, undefined);
  const unreadable = invalid.filter(one => !one.call);
  const notes = unreadable.map(one => `\n\nAnother call in the same reply: ${explain(one)}`).join('');
  records.forEach(({ call, content }, index) => {
    history.add(toolMessage(call, index === records.length - 1 ? content + notes : content));
  });
  for (const one of invalid) if (one.call) history.add(toolMessage(one.call, explain(one)));
  return records;
}
