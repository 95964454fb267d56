import { expect, it } from 'vitest';
import { chooseTemplate } from '../../src/chat/choose-template.ts';

const list = [
  { name: 'default', template: 'D' },
  { name: 'tool_use', template: 'T' },
  { name: 'broken', template: 1 },
];

it.each([
  ['nothing', {}, undefined, undefined],
  ['a base model', { tokenizerConfig: { bos_token: '<s>' } }, undefined, undefined],
  [
    'chat_template.jinja first',
    { jinja: 'J', templateJson: { chat_template: 'C' }, tokenizerConfig: { chat_template: 'K' } },
    'J',
    'J',
  ],
  [
    'then chat_template.json',
    { templateJson: { chat_template: 'C' }, tokenizerConfig: { chat_template: 'K' } },
    'C',
    'C',
  ],
  ['then tokenizer_config.json', { templateJson: {}, tokenizerConfig: { chat_template: 'K' } }, 'K', 'K'],
  ['a named list', { tokenizerConfig: { chat_template: list } }, 'D', 'T'],
  ['named by key', { tokenizerConfig: { chat_template: { default: 'D', tool_use: 'T' } } }, 'D', 'T'],
  ['a list without tool_use', { tokenizerConfig: { chat_template: list.slice(0, 1) } }, 'D', 'D'],
  [
    'a list without default',
    { tokenizerConfig: { chat_template: [{ name: 'rag', template: 'R' }] } },
    'R',
    'R',
  ],
  ['junk', { templateJson: 3, tokenizerConfig: { chat_template: [null, 'x', {}] } }, undefined, undefined],
])('%s', (_name, sources, plain, withTools) => {
  expect(chooseTemplate(sources, false)).toBe(plain);
  expect(chooseTemplate(sources, true)).toBe(withTools);
});
