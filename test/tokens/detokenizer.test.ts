import { describe, expect, it } from 'vitest';
import { createTokenizer } from '../../src/tokens/tokenizer.ts';

/** Letters of byte-level BPE: these six stand for the bytes F0 9F 98 80, E9 and 20. */
const BYTE_LEVEL = { ð: 0, Ł: 1, ĺ: 2, Ģ: 3, é: 4, Ġ: 5, a: 6 };
const SENTENCE_PIECE = {
  '<unk>': 0,
  '\u2581Hi': 1,
  '\u2581there': 2,
  '<0xF0>': 3,
  '<0x9F>': 4,
  '<0x98>': 5,
  '<0x80>': 6,
  '<0x0A>': 7,
};
const SENTENCE_PIECE_DECODER = {
  type: 'Sequence',
  decoders: [
    { type: 'Replace', pattern: { String: '\u2581' }, content: ' ' },
    { type: 'ByteFallback' },
    { type: 'Fuse' },
    { type: 'Strip', content: ' ', start: 1, stop: 0 },
  ],
};

const tokenizerOf = (vocab: object, decoder: object) =>
  createTokenizer({
    added_tokens: [{ id: 100, content: '<end of text é>', special: true }],
    model: { type: 'BPE', vocab, merges: [] },
    decoder,
  });
const byteLevel = tokenizerOf(BYTE_LEVEL, { type: 'ByteLevel' });
const sentencePiece = tokenizerOf(SENTENCE_PIECE, SENTENCE_PIECE_DECODER);

function streamed(tokenizer: typeof byteLevel, ids: number[]): string[] {
  const stream = tokenizer.stream();
  return [...ids.map(id => stream.push(id)), stream.end()];
}

it("runs of spaces that are listed as added tokens, as Gemma's are, become spaces; control tokens stay", () => {
  const added = [
    { id: 100, content: '\u2581\u2581', special: false },
    { id: 101, content: '<\u2581call>', special: false },
  ];
  const of = (vocab: object, decoder: object) =>
    createTokenizer({ added_tokens: added, model: { type: 'BPE', vocab, merges: [] }, decoder });
  expect(of(SENTENCE_PIECE, SENTENCE_PIECE_DECODER).decode([1, 100, 2])).toBe('Hi   there');
  expect(of(SENTENCE_PIECE, SENTENCE_PIECE_DECODER).decode([1, 101])).toBe('Hi<\u2581call>');
  expect(of(BYTE_LEVEL, { type: 'ByteLevel' }).decode([100])).toBe('\u2581\u2581');
});

it('a text that is gone on with keeps the space between', () => {
  const stream = sentencePiece.stream({ continues: true });
  expect([stream.push(1), stream.push(2)]).toEqual([' Hi', ' there']);
  expect(streamed(sentencePiece, [1, 2]).slice(0, 2)).toEqual(['Hi', ' there']);
});

describe('byte-level BPE', () => {
  it('holds the bytes of a character until it is whole', () => {
    expect(streamed(byteLevel, [6, 0, 1, 2, 3, 5])).toEqual(['a', '', '', '', '😀', ' ', '']);
  });

  it('writes U+FFFD for broken bytes, at the end and in the middle', () => {
    expect(streamed(byteLevel, [0, 1])).toEqual(['', '', '\ufffd']);
    expect(streamed(byteLevel, [0, 1, 6])).toEqual(['', '', '\ufffda', '']);
    expect(byteLevel.decode([4, 4, 6])).toBe('\ufffd\ufffda');
  });

  it('keeps special tokens as text and passes over ids that it does not know', () => {
    expect(streamed(byteLevel, [6, 100, 99, 12_345, -1, 6])).toEqual([
      'a',
      '<end of text é>',
      '',
      '',
      '',
      'a',
      '',
    ]);
  });
});

describe('SentencePiece style', () => {
  it('drops one space at the start and reads byte tokens', () => {
    expect(streamed(sentencePiece, [1, 2, 7, 3, 4, 5, 6])).toEqual([
      'Hi',
      ' there',
      '\n',
      '',
      '',
      '',
      '😀',
      '',
    ]);
  });

  it('keeps the first space where the decoder strips none', () => {
    const plain = tokenizerOf(SENTENCE_PIECE, {
      type: 'Sequence',
      decoders: SENTENCE_PIECE_DECODER.decoders.slice(0, 3),
    });
    expect(plain.decode([1, 2])).toBe(' Hi there');
    expect(tokenizerOf(SENTENCE_PIECE, { type: 'Metaspace', prepend_scheme: 'never' }).decode([1])).toBe(
      ' Hi',
    );
    expect(tokenizerOf(SENTENCE_PIECE, { type: 'Metaspace' }).decode([1])).toBe('Hi');
  });

  it('end() twice gives nothing more', () => {
    const stream = sentencePiece.stream();
    stream.push(3);
    expect([stream.end(), stream.end()]).toEqual(['\ufffd', '']);
  });
});

it('a million tokens take linear time', () => {
  const ids = Array.from({ length: 1_000_000 }, (_, index) => index % 7);
  const started = performance.now();
  byteLevel.decode(ids);
  expect(performance.now() - started).toBeLessThan(20_000);
});
