import { describe, expect, it } from 'vitest';
import { ContentLogprobs } from '../../../src/agent/model/local-model.ts';
import { createTokenizer } from '../../../src/tokens/tokenizer.ts';

/** A tokenizer whose texts begin without the space that their first token begins with. */
const tokenizer = createTokenizer({
  added_tokens: [],
  model: {
    type: 'BPE',
    merges: [],
    vocab: { '<0xF0>': 0, '<0x9F>': 1, '<0x98>': 2, '<0x80>': 3, '\u2581Hello': 4, '\u2581world': 5 },
  },
  decoder: {
    type: 'Sequence',
    decoders: [
      { type: 'Replace', pattern: { String: '\u2581' }, content: ' ' },
      ...[{ type: 'ByteFallback' }, { type: 'Fuse' }, { type: 'Strip', content: ' ', start: 1, stop: 0 }],
    ],
  },
});

function logprobsOf(of: ConstructorParameters<typeof ContentLogprobs>[0], ids: number[]) {
  const logprobs = new ContentLogprobs(of);
  for (const id of ids) logprobs.add({ id, text: '', logprob: -1, topLogprobs: [{ id: 5, logprob: -2 }] });
  const [event] = logprobs.with([{ type: 'content', text: 'x' }]);
  return (event as { logprobs: readonly { token: string; bytes?: readonly number[] }[] }).logprobs;
}

describe('the tokens of log-probabilities', () => {
  it('keep the space they begin with, also the alternatives', () => {
    const bytes = [32, 119, 111, 114, 108, 100];
    const all = logprobsOf(tokenizer, [4, 5]);
    expect(all.map(({ token }) => token)).toEqual([' Hello', ' world']);
    expect(all[1]).toEqual({
      token: ' world',
      bytes,
      logprob: -1,
      top: [{ token: ' world', bytes, logprob: -2 }],
    });
  });

  it('have the bytes of their part of a character', () => {
    const all = logprobsOf(tokenizer, [0, 1, 2, 3]);
    expect(all.map(({ bytes }) => bytes)).toEqual([[240], [159], [152], [128]]);
    expect(all.map(({ token }) => token)).toEqual(Array(4).fill('\ufffd'));
  });

  it('are decoded where the tokenizer tells no bytes', () => {
    const [one] = logprobsOf({ decode: ids => `<${ids}>` }, [7]);
    expect(one).toEqual({ token: '<7>', logprob: -1, top: [{ token: '<5>', logprob: -2 }] });
  });
});
