import type { BodyCall, ChatFormat } from '../parse/types/format.ts';
import { Text } from './jinja/text.ts';

type Writer = Pick<ChatFormat, 'calls' | 'structure' | 'callStructure' | 'writeCalls'>;

/**
 * Calls for a prompt, as a format writes them. The marks around a call are our own text, so that they become the
 * special tokens the model knows; names and arguments are content, which cannot forge any.
 */
export function callText(format: Writer, calls: readonly BodyCall[]): Text {
  const whole = format.writeCalls(calls);
  const each = calls.map(call => format.writeCalls([call]));
  const separator = ['\n', ''].find(one => each.join(one) === whole);
  const { head, tail } = marksAround(format);
  if (separator === undefined) return marked(whole, head, tail);
  return Text.join(
    each.map(one => marked(one, head, tail)),
    Text.of(separator, true),
  );
}

/** The marks before and after any call. */
function marksAround(format: Writer): { head: string; tail: string } {
  const call = format.writeCalls([{ name: 'f', arguments: {} }]);
  const marks = [
    ...format.calls.flatMap(({ opener, closer = '' }) => [opener, closer]),
    ...(format.structure ?? []),
    ...(format.callStructure ?? []),
  ].filter(mark => mark !== '');
  let start = 0;
  let end = call.length;
  for (let mark = first(); mark !== undefined; mark = first()) start += mark.length;
  for (let mark = last(); mark !== undefined; mark = last()) end -= mark.length;
  return { head: call.slice(0, start), tail: call.slice(end) };

  function first(): string | undefined {
    return marks.find(mark => call.startsWith(mark, start));
  }

  function last(): string | undefined {
    return marks.find(mark => end - mark.length >= start && call.endsWith(mark, end));
  }
}

function marked(text: string, head: string, tail: string): Text {
  if (!text.startsWith(head) || !text.endsWith(tail) || text.length < head.length + tail.length) {
    return Text.of(text, true);
  }
  const body = text.slice(head.length, text.length - tail.length);
  return Text.concat([Text.of(head), Text.of(body, true), Text.of(tail)]);
}
