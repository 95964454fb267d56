import type { Message } from '../../chat/message.ts';
import { missingFacts } from './missing-facts.ts';

const TITLE = 'Summary of our conversation so far:';
const WORDS_TITLE = "The user's own words, in short:";
const FACTS_TITLE = 'Also mentioned:';
/** Characters of each of the user's messages, from the most that may fit. */
const WORD_CHARS = [200, 120, 80, 50] as const;

/**
 * What stands in the place of turns: what the model wrote, each of the user's messages in short, and the numbers, names and
 * paths that neither has. All together take at most `room` tokens: then the user's messages become shorter, and the oldest
 * of them and the last facts are left out.
 * @param removed all messages that this summary and those before it stand for
 */
export function summaryText(
  written: string,
  removed: readonly Message[],
  room: number,
  tokensOf: (text: string) => number,
): string {
  const fits = (text: string) => tokensOf(text) <= room;
  let own = written;
  while (own.length > 40 && !fits(textOf(own, [], [])))
    own = own.slice(0, Math.floor(own.length * 0.8)).toWellFormed();
  const asked = removed.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
  let words: string[] = [];
  for (const chars of WORD_CHARS) {
    words = [...new Set(asked.map(text => short(text, chars)).filter(Boolean))];
    if (fits(textOf(own, words, []))) break;
  }
  const newest = most(words.length, count => fits(textOf(own, last(words, count), [])));
  words = last(words, newest);
  const facts = missingFacts(removed, [own, ...words].join('\n'));
  const known = most(facts.length, count => fits(textOf(own, words, facts.slice(0, count))));
  return textOf(own, words, facts.slice(0, known));
}

/** What the model wrote of a summary. */
export function writtenPart(summary: string): string {
  const text = summary.startsWith(TITLE) ? summary.slice(TITLE.length) : summary;
  const ends = [WORDS_TITLE, FACTS_TITLE].map(title => text.indexOf(`\n${title}`)).filter(at => at >= 0);
  return text.slice(0, Math.min(text.length, ...ends)).trim();
}

function textOf(written: string, words: readonly string[], facts: readonly string[]): string {
  const parts = [TITLE, written];
  if (words.length > 0) parts.push(WORDS_TITLE, ...words.map(text => `- ${text}`));
  if (facts.length > 0) parts.push(`${FACTS_TITLE} ${facts.join(', ')}.`);
  return parts.filter(Boolean).join('\n');
}

function short(text: string, chars: number): string {
  const line = text
    .slice(0, 4 * chars)
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (line.length <= chars) return line;
  const cut = line.slice(0, chars).toWellFormed();
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), chars / 2))} ...`;
}

const last = (items: readonly string[], count: number): string[] => items.slice(items.length - count);

/** The largest count up to `limit` that fits, where fewer always fit too. */
function most(limit: number, fits: (count: number) => boolean): number {
  if (fits(limit)) return limit;
  let [low, high] = [0, limit];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}
