/** The first paragraph, up to the end of the sentence before `limit`, or the word. */
export function firstWords(text: string, limit: number): string {
  const [paragraph = ''] = text.trim().split(/\n\s*\n/, 1);
  const line = paragraph.replace(/\s+/g, ' ');
  if (line.length <= limit) return line;
  const cut = line.slice(0, limit);
  const sentence = /^.*[.!?](?= )/.exec(cut)?.[0];
  if (sentence !== undefined && sentence.length > limit / 3) return sentence;
  return `${cut.replace(/\s+\S*$/, '')} ...`.toWellFormed();
}
