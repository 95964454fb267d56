import { describe, expect, it } from 'vitest';
import { inputMessages } from '../../../src/serve/openai/responses-request.ts';

type Items = Parameters<typeof inputMessages>[0];

const user = (content: string) => ({ role: 'user', content }) as const;
const reply = (content: string) => ({ role: 'assistant', content }) as const;
const thought = (content: string) => ({ type: 'reasoning', content }) as const;
const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'look', arguments: '{}' }) as const;
const result = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'blue' }) as const;

/** Role and reasoning of each message. */
const told = (items: Items) =>
  inputMessages(items, '').map(message =>
    'reasoning_content' in message ? `${message.role}: ${message.reasoning_content}` : message.role,
  );

describe('reasoning in the input of a response', () => {
  it.each<[string, Items, string[]]>([
    ['before a reply', [user('a'), thought('x'), reply('b'), user('c')], ['user', 'assistant: x', 'user']],
    [
      'after a reply',
      [user('a'), reply('b'), thought('x'), user('c'), reply('d'), user('e')],
      ['user', 'assistant: x', 'user', 'assistant', 'user'],
    ],
    [
      'on both sides of one',
      [user('a'), thought('x'), reply('b'), thought('y'), user('c')],
      ['user', 'assistant: xy', 'user'],
    ],
    [
      'between a reply and its call',
      [user('a'), reply('b'), thought('x'), call('1'), result('1'), reply('c')],
      ['user', 'assistant: x', 'tool', 'assistant'],
    ],
    [
      'between calls and results',
      [user('a'), call('1'), thought('x'), call('2'), thought('y'), result('1'), thought('z'), reply('c')],
      ['user', 'assistant: xy', 'tool', 'assistant: z'],
    ],
    [
      'between two replies',
      [user('a'), reply('b'), thought('x'), reply('c')],
      ['user', 'assistant', 'assistant: x'],
    ],
    ['without a reply', [user('a'), thought('x'), user('b'), reply('c')], ['user', 'user', 'assistant']],
  ])('%s', (_, items, messages) => {
    expect(told(items)).toEqual(messages);
  });

  it.each<[string, Items[number], string]>([
    ['both', { content: [{ type: 'reasoning_text', text: 'x' }] }, 'assistant: x'],
    ['only a summary', { content: [] }, 'assistant: short'],
    ['a summary beside null', { content: null }, 'assistant: short'],
  ])('that has %s', (_, content, message) => {
    const summary = [{ type: 'summary_text', text: 'short' }];
    const item = { type: 'reasoning', summary, ...content };
    expect(told([user('a'), item, reply('b')])).toEqual(['user', message]);
  });
});
