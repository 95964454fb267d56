const MODULUS = 2 ** 31 - 1;
const MULTIPLIER = 48271;

/** `count` token ids below `vocabSize`, the same for the same seed (Lehmer's generator, like C++'s minstd_rand). */
export function randomIds(count: number, vocabSize: number, seed: number): number[] {
  let state = 1 + (Math.abs(Math.trunc(seed)) % (MODULUS - 1));
  return Array.from({ length: count }, () => {
    state = (state * MULTIPLIER) % MODULUS;
    return state % vocabSize;
  });
}

/** Common words, most of which are one token in any vocabulary. */
const WORDS =
  'time year people way day man thing woman life child world school state family student group country problem hand part place case week company system program question work government number night point home water room mother area money story fact month lot right study book eye job word business issue side kind head house service friend father power hour game line end member law car city community name president team minute idea body information back parent face others level office door health person art war history party result change morning reason research girl guy moment air teacher force education'.split(
    ' ',
  );

/** Words that make a prompt of `tokens` tokens by `count`, or one fewer; the same for the same seed. */
export function wordPrompt(tokens: number, seed: number, count: (text: string) => number): string {
  const words = randomIds(tokens, WORDS.length, seed).map(index => WORDS[index] as string);
  let [low, high] = [1, words.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (count(words.slice(0, middle).join(' ')) <= tokens) low = middle;
    else high = middle - 1;
  }
  return words.slice(0, low).join(' ');
}
