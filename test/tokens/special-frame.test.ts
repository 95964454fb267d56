import { expect, it } from 'vitest';
import { specialFrame } from '../../src/tokens/special-frame.ts';

const bert = {
  type: 'TemplateProcessing',
  single: [
    { SpecialToken: { id: '[CLS]', type_id: 0 } },
    { Sequence: { id: 'A', type_id: 0 } },
    { SpecialToken: { id: '[SEP]', type_id: 0 } },
  ],
  pair: [
    { SpecialToken: { id: '[CLS]', type_id: 0 } },
    { Sequence: { id: 'A', type_id: 0 } },
    { SpecialToken: { id: '[SEP]', type_id: 0 } },
    { Sequence: { id: 'B', type_id: 1 } },
    { SpecialToken: { id: '[SEP]', type_id: 1 } },
  ],
  special_tokens: { '[CLS]': { id: '[CLS]', ids: [101] }, '[SEP]': { id: '[SEP]', ids: [102] } },
};

it.each([
  ['a template', bert],
  ['its older form', { type: 'BertProcessing', cls: ['[CLS]', 101], sep: ['[SEP]', 102] }],
  ['a template among other steps', { type: 'Sequence', processors: [{ type: 'ByteLevel' }, bert] }],
])('special tokens around one text and two: %s', (_, post_processor) => {
  const frame = specialFrame({ post_processor });
  expect(frame.single([7, 8])).toEqual({ ids: [101, 7, 8, 102], types: [0, 0, 0, 0] });
  expect(frame.single([])).toEqual({ ids: [101, 102], types: [0, 0] });
  expect(frame.pair([7], [8, 9])).toEqual({ ids: [101, 7, 102, 8, 9, 102], types: [0, 0, 0, 1, 1, 1] });
  expect([frame.singleExtra, frame.pairExtra]).toEqual([2, 3]);
});

it('RoBERTa: two tokens between texts, all of one type', () => {
  const frame = specialFrame({
    post_processor: { type: 'RobertaProcessing', cls: ['<s>', 0], sep: ['</s>', 2] },
  });
  expect(frame.pair([7], [8])).toEqual({ ids: [0, 7, 2, 2, 8, 2], types: [0, 0, 0, 0, 0, 0] });
  expect(frame.pairExtra).toBe(4);
});

it('nothing without a post-processor', () => {
  for (const post_processor of [undefined, null, { type: 'ByteLevel' }, 'odd']) {
    const frame = specialFrame({ post_processor });
    expect(frame.single([7])).toEqual({ ids: [7], types: [0] });
    expect(frame.pair([7], [8])).toEqual({ ids: [7, 8], types: [0, 1] });
  }
});

it.each([
  { ...bert, single: 'x' },
  { ...bert, special_tokens: {} },
  { ...bert, special_tokens: { '[CLS]': { ids: ['x'] } } },
  { ...bert, single: [{ Nothing: 1 }] },
  { type: 'BertProcessing', cls: 'x' },
  { type: 'BertProcessing', cls: ['[CLS]', -1], sep: ['[SEP]', 1] },
])('a broken post-processor: %j', post_processor => {
  expect(() => specialFrame({ post_processor })).toThrow(/tokenizer\.json: 'post_processor'/);
});
