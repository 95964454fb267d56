import type { BodyContext, ReadBody } from '../types/format.ts';
import type { ParseEvent } from '../types/parse-event.ts';
import { resolveCall } from './resolve-call.ts';
import type { ToolCatalog } from './tool-catalog.ts';

/** The text of a call and how it ended. */
export interface CallText {
  /** With its delimiters. */
  readonly raw: string;
  readonly body: string;
  /** It ended with a closer, not with the reply or another call. */
  readonly closed: boolean;
  /** Not closed, and the model did not end the reply itself: it may be only half a call. */
  readonly cut: boolean;
}

/**
 * The events for the text of a call. Broken JSON is completed only if the text was not cut off and the result fits
 * the schema of an offered tool without unknown keys; else it stays `malformed`.
 */
export function settleCalls(read: ReadBody, text: CallText, tools: ToolCatalog): ParseEvent[] {
  const context: BodyContext = {
    repair: false,
    whole: !text.cut,
    parametersOf: tool => tools.parametersOf(tool),
  };
  const result = read(text.body, context);
  if (!('reason' in result)) return callEvents(result, text.raw);
  const repaired = !text.cut && tools.size > 0 ? read(text.body, { ...context, repair: true }) : result;
  if (!('reason' in repaired) && repaired.every(call => resolveCall(call, tools).ok)) {
    return callEvents(repaired, text.raw);
  }
  const reason = text.closed ? result.reason : `the call was cut off: ${result.reason}`;
  return [{ type: 'malformed', raw: text.raw, reason, ...(text.cut && { truncated: true }) }];
}

function callEvents(calls: Exclude<ReturnType<ReadBody>, { reason: string }>, raw: string): ParseEvent[] {
  return calls.map((call, index) => ({ type: 'call', ...call, raw: index === 0 ? raw : '' }));
}
