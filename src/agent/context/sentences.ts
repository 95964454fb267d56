/** Characters of a sentence; a longer one is several. */
const MAX_CHARS = 300;
const END = /(?<=[.!?…]["')\]]*)(?<!\b(?:Dr|Mr|Mrs|Ms|St|No|vs|e\.g|i\.e)\.)\s+|(?<=[。！？])|\s*\n\s*/u;
/** What begins so is about the sentence before. */
const REFERS_BACK = /^(?:he|she|it|they|his|her|its|their)\b/i;

/** The sentences of a text, white space as single spaces; one that refers back stands with the one before. */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  for (const part of text.split(END)) {
    const sentence = part.replaceAll(/\s+/g, ' ').trim();
    const before = sentences.at(-1);
    if (before !== undefined && REFERS_BACK.test(sentence) && before.length + sentence.length < MAX_CHARS)
      sentences[sentences.length - 1] = `${before} ${sentence}`;
    else sentences.push(...piecesOf(sentence));
  }
  return sentences;
}

/** At spaces where there are some. */
function piecesOf(sentence: string): string[] {
  const pieces: string[] = [];
  let rest = sentence;
  while (rest.length > MAX_CHARS) {
    const space = rest.lastIndexOf(' ', MAX_CHARS);
    const piece = rest.slice(0, space > 0 ? space : MAX_CHARS);
    pieces.push(piece.toWellFormed());
    rest = rest.slice(piece.length).trimStart();
  }
  return rest === '' ? pieces : [...pieces, rest];
}
