import { describe, expect, it, test } from 'vitest';
import { compileTemplate } from '../../src/chat/template.ts';
import { findThinkingSwitch, withThinkingWord } from '../../src/chat/thinking-switch.ts';

const USER = '{{ messages[-1].content }}';
const find = (source: string) => findThinkingSwitch(compileTemplate(source));
const OFF = '<think></think>';

describe('the switch of a template', () => {
  test.each([
    [
      `${USER}{% if enable_thinking is defined and enable_thinking is false %}${OFF}{% endif %}`,
      { enable_thinking: false },
    ],
    // As Nemotron 3: on unless told otherwise.
    [
      `{%- set on = enable_thinking if enable_thinking is defined else True -%}${USER}{{ '<think>\n' if on else '${OFF}' }}`,
      { enable_thinking: false },
    ],
    [`${USER}{{ '<think>' if thinking else '</think>' }}`, { thinking: false }],
    [
      `{% if thinking_budget is defined and thinking_budget == 0 %}Do not reason.{% endif %}${USER}`,
      { thinking_budget: 0 },
    ],
    [`${USER}{% if reasoning_effort in ['low', 'minimal'] %}${OFF}{% endif %}`, { reasoning_effort: 'low' }],
  ])('%s', (source, variables) => {
    expect(find(source)).toMatchObject({ off: { variables }, stops: true });
  });

  it('is the first of several names', () => {
    const both = `{% if enable_thinking is defined %}{% set thinking = enable_thinking %}{% endif %}${USER}{{ thinking }}`;
    expect(find(both)?.off.variables).toEqual({ enable_thinking: false });
  });

  it('may be a word in the system message, if it changes how the reply begins', () => {
    const looks = `{% if '/no_think' in messages[0].content %}{% set off = true %}{% endif %}${USER}{% if off %}${OFF}{% endif %}`;
    expect(find(looks)).toMatchObject({ on: { word: '/think' }, off: { word: '/no_think' } });
    expect(find(`{{ messages[0].content }}${USER}`)).toBeUndefined();
  });

  it('an effort that only stands in the prompt stops nothing', () => {
    expect(find(`{{ reasoning_effort }}${USER}`)).toMatchObject({ stops: false });
  });

  it('is found in a template that refuses system messages', () => {
    const refuses = `{% if messages[0].role == 'system' %}{{ raise_exception('no') }}{% endif %}`;
    expect(find(`${refuses}${USER}{{ enable_thinking }}`)?.off.variables).toEqual({ enable_thinking: false });
  });

  it('is none in a template that always thinks, or that always fails', () => {
    expect(find(`${USER}<think>`)).toBeUndefined();
    expect(find('{{ messages[0].content }}')).toBeUndefined();
    expect(find("{{ raise_exception('no') }}")).toBeUndefined();
  });
});

describe('the word', () => {
  const off = { variables: {}, word: '/no_think' };
  const user = { role: 'user' as const, content: 'hi' };

  it('ends the system message, or is one', () => {
    const system = { role: 'system' as const, content: 'Be kind.' };
    expect(withThinkingWord([system, user], off)).toEqual([
      { role: 'system', content: 'Be kind.\n/no_think' },
      user,
    ]);
    expect(withThinkingWord([user], off)).toEqual([{ role: 'system', content: '/no_think' }, user]);
    expect(withThinkingWord([user], { variables: {} })).toEqual([user]);
  });
});
