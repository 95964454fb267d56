import type { ToolCall } from '../chat/message.ts';
import { LlmHostError, messageOf } from '../errors.ts';
import type { ToolHost } from '../mcp/tool-host.ts';
import { nearest } from '../text/nearest.ts';
import { cutResult } from './result-limit.ts';
import type { TurnEvent } from './turn.ts';

export interface RunToolsOptions {
  readonly timeoutMs: number;
  /** Characters of a result that the model sees. */
  readonly maxResultChars: number;
  readonly signal?: AbortSignal | undefined;
}

/** What the model is told about one call. */
export interface CallRecord {
  readonly call: ToolCall;
  readonly content: string;
}

/**
 * Runs the calls of one reply and yields their events as they happen; returns what the model is told, in call
 * order. Several calls run at once only when the servers say that all of them change nothing.
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
  const records: CallRecord[] = [];
  if (!parallel) {
    for (const call of calls) {
      yield announce(call);
      const { event, content } = await runOne(host, call, options);
      yield event;
      records.push({ call, content });
    }
    return records;
  }
  for (const call of calls) yield announce(call);
  const running = calls.map(call => runOne(host, call, options));
  for (const [index, call] of calls.entries()) {
    const { event, content } = await (running[index] as Promise<Finished>);
    yield event;
    records.push({ call, content });
  }
  return records;
}

interface Finished {
  readonly event: TurnEvent;
  readonly content: string;
}

function announce(call: ToolCall): TurnEvent {
  return { type: 'tool_call', id: call.id, name: call.function.name, arguments: call.function.arguments };
}

async function runOne(host: ToolHost, call: ToolCall, options: RunToolsOptions): Promise<Finished> {
  const name = call.function.name;
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  const failed = (text: string): Finished => {
    // Readers print their own label; the model always gets the word.
    const message = text.replace(/^Error: /, '');
    return {
      event: { type: 'tool_error', id: call.id, name, message, seconds: seconds() },
      content: cutResult(`Error: ${message}`, options.maxResultChars),
    };
  };
  const missing = unknownTool(host, name);
  if (missing) return failed(missing);
  if (options.signal?.aborted) return failed('Cancelled by the user');
  try {
    const outcome = await host.call(name, call.function.arguments, {
      timeoutMs: options.timeoutMs,
      ...(options.signal && { signal: options.signal }),
    });
    if (outcome.isError) return failed(outcome.text);
    return {
      event: { type: 'tool_result', id: call.id, name, text: outcome.text, seconds: seconds() },
      content: cutResult(outcome.text, options.maxResultChars),
    };
  } catch (error) {
    if (error instanceof LlmHostError && error.code === 'CANCELLED') return failed('Cancelled by the user');
    return failed(messageOf(error));
  }
}

function unknownTool(host: ToolHost, name: string): string | undefined {
  const names = host.tools().map(tool => tool.definition.function.name);
  if (names.includes(name)) return undefined;
  const guess = nearest(name, names);
  return `There is no tool '${name}'. ${guess ? `Did you mean '${guess}'? ` : ''}Tools: ${names.join(', ') || 'none'}.`;
}
