import { describe, expect, it } from 'vitest';
import { adaptConversation } from '../../src/chat/adapt.ts';
import { probeTemplate } from '../../src/chat/capability.ts';
import type { Message, ToolCall } from '../../src/chat/message.ts';
import { compileTemplate, renderSegments } from '../../src/chat/template.ts';

/** Refuses what Mistral's templates do: ids of other lengths, and a question that follows another one. */
const MISTRAL = compileTemplate(`
  {%- set turn = namespace(count=0) %}
  {%- for m in messages %}
    {%- if m.role == 'user' or (m.role == 'assistant' and not m.tool_calls) %}
      {%- if (m.role == 'user') != (turn.count % 2 == 0) %}{{ raise_exception('roles must alternate') }}{% endif %}
      {%- set turn.count = turn.count + 1 %}
    {%- endif %}
    {%- for c in m.tool_calls %}
      {%- if c.id | length != 9 %}{{ raise_exception('ids must have length 9') }}{% endif %}
      {{- '<' + c.function.name + ' ' + c.function.arguments | tojson + ' ' + c.id + '>' }}
    {%- endfor %}
    {{- '[' + m.role + (' ' + m.tool_call_id if m.role == 'tool' else '') + ' ' + m.content + ']' }}
  {%- endfor %}
  {{- tools | tojson if tools else '' }}`);

/** As Gemma's: no tools, and every message is of the other one. */
const GEMMA = compileTemplate(`
  {%- for m in messages %}
    {%- if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('roles must alternate') }}{% endif %}
    {{- '[' + m.role + ' ' + m.content + ']' }}
  {%- endfor %}`);

const TOOLS = [{ type: 'function' as const, function: { name: 'add', parameters: { type: 'object' } } }];
const toolCall = (id: string): ToolCall => ({
  id,
  type: 'function',
  function: { name: 'add', arguments: {} },
});
const calls = (...ids: string[]): Message => ({
  role: 'assistant',
  content: '',
  tool_calls: ids.map(toolCall),
});
const result = (id: string): Message => ({ role: 'tool', tool_call_id: id, name: 'add', content: `r${id}` });
const user = (content: string): Message => ({ role: 'user', content });

function prompt(template: typeof MISTRAL, messages: readonly Message[]): string {
  const adapted = adaptConversation(messages, TOOLS, probeTemplate(template));
  const { tools } = adapted;
  const segments = renderSegments(template, { messages: adapted.messages, tools });
  return segments.map(({ text }) => text).join('');
}

describe('a template that wants ids of nine letters and an answer to each question', () => {
  it('says so', () => {
    expect(probeTemplate(MISTRAL)).toMatchObject({
      rendersCalls: true,
      rendersResults: true,
      severalCalls: true,
      nineLetterIds: true,
      alternates: true,
    });
  });

  it('takes calls and results, each pair under an id of its own, the same in each prompt', () => {
    const first = prompt(MISTRAL, [user('q'), calls('call_1', 'call_2'), result('call_1'), result('call_2')]);
    const [, one, two] = /^\[user q\]<add \{\} (\w{9})><add \{\} (\w{9})>/.exec(first) ?? [];
    expect(one).not.toBe(two);
    expect(first).toContain(`[tool ${one} rcall_1][tool ${two} rcall_2]`);
    expect(prompt(MISTRAL, [user('q'), calls('call_1')])).toContain(`<add {} ${one}>`);
    expect(prompt(MISTRAL, [user('q'), calls('abcDEF123')])).toContain('<add {} abcDEF123>');
  });

  it('takes a question after a turn that was cancelled during its calls', () => {
    const text = prompt(MISTRAL, [user('q'), calls('call_1'), result('call_1'), user('again')]);
    expect(text).toMatch(/rcall_1\]\[assistant \]\[user again\]/);
  });
});

describe('a template without tools that wants an answer to each question', () => {
  it('takes the results of two calls as one message', () => {
    const text = prompt(GEMMA, [user('q'), calls('1', '2'), result('1'), result('2')]);
    expect(text).toMatch(/\[user [^\]]*r1[^\]]*r2[^\]]*\]$/);
  });

  it('takes a question after a turn that was cancelled during its calls', () => {
    const text = prompt(GEMMA, [user('q'), calls('1'), result('1'), user('again')]);
    expect(text).toMatch(/r1[^\]]*\]\[assistant \]\[user again\]$/);
  });

  it('takes two questions in a row as one, their text still no marks of the template', () => {
    const { messages } = adaptConversation([user('a'), user('b')], [], probeTemplate(GEMMA));
    expect(renderSegments(GEMMA, { messages })).toEqual([
      { text: '[user ', special: true },
      { text: 'a\n\nb', special: false },
      { text: ']', special: true },
    ]);
  });
});
