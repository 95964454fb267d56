import { describe, expect, it } from 'vitest';
import { formAsker } from '../../src/line/ask-form.ts';
import { elicitationFields } from '../../src/mcp/server/elicitation.ts';

const FORM = {
  type: 'object',
  required: ['name', 'age'],
  properties: {
    name: { type: 'string', title: 'Your name', minLength: 2 },
    age: { type: 'integer', minimum: 0, maximum: 150 },
    colour: { type: 'string', enum: ['red', 'blue'], default: 'red' },
    tags: { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] } },
    happy: { type: 'boolean' },
    note: { type: 'string' },
    deep: { type: 'object' },
  },
};

async function filled(...typed: (string | undefined)[]) {
  return await filledIn(FORM, ...typed);
}

async function filledIn(form: object, ...typed: (string | undefined)[]) {
  const shown: string[] = [];
  const elicit = formAsker({
    print: text => shown.push(text),
    ask: prompt => {
      shown.push(prompt);
      return Promise.resolve(typed.shift());
    },
  });
  const request = { server: 'x\u001b[2J', message: 'Who?', fields: elicitationFields(form) };
  return { answer: await elicit(request, new AbortController().signal), shown: shown.join('') };
}

describe('a form', () => {
  it('is filled in with defaults, types and choices, and asks again for what is wrong', async () => {
    const { answer, shown } = await filled(
      'yes',
      'A',
      'Ada',
      '',
      'old',
      '151',
      '36',
      'green',
      '',
      'a,z',
      'a, c',
      'maybe',
      'y',
      '',
    );
    expect(answer).toEqual({
      action: 'accept',
      content: { name: 'Ada', age: 36, colour: 'red', tags: ['a', 'c'], happy: true },
    });
    for (const problem of [
      'At least 2',
      'An answer is needed',
      'whole number',
      'Not above 150',
      'one of red',
      "'z' is none",
      'yes or no',
    ])
      expect(shown).toContain(problem);
    expect(shown).not.toContain('\u001b');
  });

  it('is declined by no or an empty line, and cancelled by Ctrl+D at any time', async () => {
    for (const no of ['', 'no', 'N', 'false'])
      expect((await filled(no)).answer).toEqual({ action: 'decline' });
    expect((await filled(undefined)).answer).toEqual({ action: 'cancel' });
    expect((await filled('y', 'Ada', undefined)).answer).toEqual({ action: 'cancel' });
  });

  it('is not declined by a slip: the question comes again', async () => {
    const { answer, shown } = await filledIn({ properties: { note: {} } }, 'yse', 'yes', 'hello');
    expect(answer).toEqual({ action: 'accept', content: { note: 'hello' } });
    expect(shown).toContain('Answer (note)? yes or no [no]: Answer yes or no.\nAnswer (note)?');
  });

  it('shows labels, what several answers look like, and defaults as they would be typed', async () => {
    const form = {
      properties: {
        size: {
          type: 'string',
          oneOf: [
            { const: 's', title: 'Small' },
            { const: 'l', title: 'Large' },
          ],
          default: 'l',
        },
        tops: {
          type: 'array',
          items: {
            anyOf: [
              { const: 'm', title: 'Mozzarella' },
              { const: 'h', title: 'Ham' },
            ],
          },
          default: ['m', 'h'],
        },
        hot: { type: 'boolean', default: false },
        count: { type: 'integer', default: 2 },
        free: { type: 'array', items: { type: 'string' } },
      },
    };
    const { answer, shown } = await filledIn(form, 'y', 'small', '', '', '', 'a, b');
    for (const prompt of [
      'size {Small, Large} [Large]: ',
      'tops {Mozzarella, Ham; several with commas} [Mozzarella, Ham]: ',
      'hot {yes, no} [no]: ',
      'count [2]: ',
      'free {several with commas} [none]: ',
    ])
      expect(shown).toContain(`  ${prompt}`);
    const content = { size: 's', tops: ['m', 'h'], hot: false, count: 2, free: ['a', 'b'] };
    expect(answer).toEqual({ action: 'accept', content });
  });
});

describe('an address', () => {
  const visit = async (...typed: (string | undefined)[]) => {
    const shown: string[] = [];
    const ask = (prompt: string) => {
      shown.push(prompt);
      return Promise.resolve(typed.shift());
    };
    const elicit = formAsker({ print: text => shown.push(text), ask });
    const request = { server: 'bank', message: 'Log in.', fields: [], url: 'https://bank.example/login?a=1' };
    return { answer: await elicit(request, new AbortController().signal), shown: shown.join('') };
  };

  it('is shown whole with its host, and nothing opens it', async () => {
    const { answer, shown } = await visit('yes');
    expect(answer).toEqual({ action: 'accept' });
    expect(shown).toBe(
      "Server 'bank' asks: Log in.\nOpen this address yourself if you trust bank.example:\n  https://bank.example/login?a=1\nDone there? yes or no [no]: ",
    );
  });

  it.each([
    ['', 'decline'],
    ['no', 'decline'],
    [undefined, 'cancel'],
  ])('%j: %s', async (typed, action) => {
    expect((await visit(typed)).answer).toEqual({ action });
  });

  it('is not declined by a slip', async () => {
    const { answer, shown } = await visit('ys', 'yes');
    expect(answer).toEqual({ action: 'accept' });
    expect(shown.match(/Done there\?/g)).toHaveLength(2);
  });
});
