import type { GrammarEngine } from '../../src/grammar/grammar-engine.ts';
import { GrammarMatching } from '../../src/grammar/grammar-matching.ts';
import { byteLetters } from '../../src/tokens/byte-letters.ts';

/** The id behind the bytes and the further tokens: what ends a text. */
export const stopId = (extra: readonly string[] = []): number => 256 + extra.length;

/** xgrammar in this thread, over the 256 bytes, some longer tokens and a stop token. */
export async function byteGrammar(extra: readonly string[] = []): Promise<GrammarEngine> {
  const letters = byteLetters();
  const spelt = (text: string) => Array.from(new TextEncoder().encode(text), byte => letters[byte]).join('');
  const stop = stopId(extra);
  const tokens = [...letters, ...extra.map(spelt), '<stop>'];
  const matching = await GrammarMatching.create({ tokens, stopIds: [stop] });
  return {
    prepare: grammar => matching.prepare(grammar),
    start: async (grammar, texts) => {
      const { matcher, accepted } = await matching.start(grammar, texts);
      return {
        accepted,
        matcher: {
          accept: async ids => matching.accept(matcher, ids),
          next: () => matching.next(matcher),
          close: () => matching.close(matcher),
        },
      };
    },
    close: async () => undefined,
  };
}

/** Whether a text is one of a grammar: all of it, the beginning of one, or neither. */
export async function judge(
  grammars: GrammarEngine,
  grammar: string,
  text: string,
): Promise<'whole' | 'beginning' | 'no'> {
  const { matcher, accepted } = await grammars.start(grammar, [text]);
  const verdict =
    accepted === 0 && text !== '' ? 'no' : (await matcher.next()).complete ? 'whole' : 'beginning';
  matcher.close();
  return verdict;
}
