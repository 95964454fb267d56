import type { ParseEvent } from '../../src/parse/types/parse-event.ts';

/** Adjacent pieces of content, or of thinking, as one: what stays the same however the text was cut. */
export function mergeEvents(events: readonly ParseEvent[]): ParseEvent[] {
  const merged: ParseEvent[] = [];
  for (const event of events) {
    const last = merged.at(-1);
    if (event.type === 'content' && last?.type === 'content') {
      merged[merged.length - 1] = { type: 'content', text: last.text + event.text };
    } else if (event.type === 'thinking' && last?.type === 'thinking') {
      merged[merged.length - 1] = { type: 'thinking', text: last.text + event.text };
    } else {
      merged.push(event);
    }
  }
  return merged;
}
