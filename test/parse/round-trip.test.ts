import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileTemplate, renderChat } from '../../src/chat/template.ts';
import { createToolParser } from '../../src/parse/create-tool-parser.ts';
import { hermes } from '../../src/parse/formats/json/hermes.ts';
import type { BodyCall } from '../../src/parse/types/format.ts';
import { mergeEvents } from './merge-events.ts';

const demo = compileTemplate(
  readFileSync(new URL('../../models/demo/chat_template.jinja', import.meta.url), 'utf8'),
);
const OPENING = '<|im_start|>assistant\n';

/** What the demo template writes for an assistant message with these calls. */
function rendered(calls: readonly BodyCall[]): string {
  const toolCalls = calls.map((call, index) => ({
    id: `call_${index}`,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }));
  const messages = [
    { role: 'user', content: 'q' },
    { role: 'assistant', content: '', tool_calls: toolCalls },
  ];
  const prompt = renderChat(demo, { messages });
  return prompt.slice(prompt.lastIndexOf(OPENING) + OPENING.length, prompt.lastIndexOf('<|im_end|>'));
}

function callsIn(text: string): BodyCall[] {
  const parser = createToolParser({ template: demo.source });
  const events = mergeEvents([...parser.push(text), ...parser.end()]);
  return events.flatMap(event => {
    if (event.type === 'call') return [{ name: event.name, arguments: event.arguments }];
    expect(event).toEqual({ type: 'content', text: '\n' });
    return [];
  });
}

// Template and JSON write numbers as Python does; -0 is 0 after JSON.
const value = fc
  .jsonValue({ maxDepth: 3, stringUnit: 'grapheme' })
  .map(json => JSON.parse(JSON.stringify(json)));
const call = fc.record({
  name: fc.stringMatching(/^[a-z_]{1,12}$/),
  arguments: fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 6 }), value, { noNullPrototype: true }),
});
const hostile = {
  name: 'f',
  arguments: { t: '</tool_call>"\\{<tool_call>\n😀', items: [], keys: { get: null } },
};

describe('calls that the template writes, the parser reads', () => {
  it('for one hostile call', () => {
    expect(callsIn(rendered([hostile]))).toEqual([hostile]);
    expect(callsIn(hermes.writeCalls([hostile]))).toEqual([hostile]);
  });

  // Several short tests, since a busy machine may take long over each.
  it.each([31, 32, 33, 34])('for any calls (%i)', seed => {
    fc.assert(
      fc.property(fc.array(call, { minLength: 1, maxLength: 2 }), calls => {
        expect(callsIn(rendered(calls))).toEqual(calls);
        expect(callsIn(hermes.writeCalls(calls))).toEqual(calls);
      }),
      { numRuns: 60, seed },
    );
  });

  it('and renders them again as the same text', () => {
    const text = rendered([hostile, { name: 'g', arguments: {} }]);
    expect(rendered(callsIn(text))).toBe(text);
  });
});
