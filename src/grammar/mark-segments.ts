/** Marks become special tokens, everything else is text. */
export function segmentsOf(text: string, marks: readonly string[]): { text: string; special: boolean }[] {
  const found = marks
    .map(mark => ({ mark, at: mark === '' ? -1 : text.indexOf(mark) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)[0];
  if (!found) return text === '' ? [] : [{ text, special: false }];
  const { mark, at } = found;
  return [
    ...(at > 0 ? [{ text: text.slice(0, at), special: false }] : []),
    { text: mark, special: true },
    ...segmentsOf(text.slice(at + mark.length), marks),
  ];
}
