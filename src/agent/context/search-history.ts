import MiniSearch from 'minisearch';
import type { Message } from '../../chat/message.ts';
import { termsOf } from '../offer/tool-terms.ts';

/** A sentence of a conversation. */
interface Said {
  readonly role: Message['role'];
  /** Who said it, as the model reads it. */
  readonly by: string;
  readonly text: string;
}

/** Only this many characters of the latest messages are searched. */
const MAX_SEARCHED = 400_000;
const MAX_QUERY = 500;
const MAX_FOUND = 5;
/** A share of the best score: sentences below it share common words only. */
const LEAST_SCORE = 0.6;
/** The user asks for their own statements more often than for what was said about them. */
const USER_WEIGHT = 1.5;

/** The sentences that fit `query` best, one a line, each with who said it; '' if none does. By BM25, else by its very text. */
export function searchHistory(messages: readonly Message[], query: string): string {
  const said = latest(messages).flatMap(linesOf);
  const words = query.slice(0, MAX_QUERY).trim();
  const found = ranked(said, words);
  const exact = words.toLowerCase();
  const hits = found.length > 0 ? found : said.filter(({ text }) => text.toLowerCase().includes(exact));
  // A question asked before holds the words, but not the answer.
  const told = hits.filter(({ role, text }) => role !== 'user' || !/[?？]$/.test(text));
  const lines = (told.length > 0 ? told : hits).map(({ by, text }) => `${by}: ${JSON.stringify(text)}`);
  return [...new Set(lines)].slice(0, MAX_FOUND).join('\n');
}

function ranked(said: readonly Said[], query: string): Said[] {
  const index = new MiniSearch<{ id: number; text: string }>({
    fields: ['text'],
    tokenize: searchTerms,
    processTerm: term => term,
  });
  index.addAll(said.map(({ text }, id) => ({ id, text })));
  const boostDocument = (id: number): number => (said[id]?.role === 'user' ? USER_WEIGHT : 1);
  const results = index.search(query, { boostDocument });
  const least = (results[0]?.score ?? 0) * LEAST_SCORE;
  return results.flatMap(({ id, score }) => (score >= least ? [said[id] as Said] : []));
}

/** Numbers too, which say nothing about a tool. */
function searchTerms(text: string): string[] {
  return [...termsOf(text), ...(text.match(/(?<![\p{L}\p{N}])\d+(?![\p{L}\p{N}])/gu) ?? [])];
}

function latest(messages: readonly Message[]): readonly Message[] {
  let room = MAX_SEARCHED;
  const first = messages.findLastIndex(({ content }) => {
    room -= content.length;
    return room < 0;
  });
  return messages.slice(first + 1);
}

function linesOf(message: Message): Said[] {
  const { role, content } = message;
  const source = role === 'tool' ? `A result of ${message.name}` : role === 'user' ? 'The user' : 'You';
  return sentencesOf(content).map(text => ({ role, by: `${source} said`, text }));
}

/** Characters of a sentence; a longer one becomes several. */
const MAX_SENTENCE = 300;
const END = /(?<=[.!?…]["')\]]*)(?<!\b(?:Dr|Mr|Mrs|Ms|St|No|vs|e\.g|i\.e)\.)\s+|(?<=[。！？])|\s*\n\s*/u;
/** A sentence that begins with one of these is about the one before. */
const REFERS_BACK = /^(?:he|she|it|they|his|her|its|their)\b/i;

/** The sentences of a text, white space as single spaces; one that refers back stands with the one before. */
function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  for (const part of text.split(END)) {
    const sentence = part.replaceAll(/\s+/g, ' ').trim();
    const before = sentences.at(-1);
    if (before !== undefined && REFERS_BACK.test(sentence) && before.length + sentence.length < MAX_SENTENCE)
      sentences[sentences.length - 1] = `${before} ${sentence}`;
    else sentences.push(...piecesOf(sentence));
  }
  return sentences;
}

/** At spaces where there are some. */
function piecesOf(sentence: string): string[] {
  const pieces: string[] = [];
  let rest = sentence;
  while (rest.length > MAX_SENTENCE) {
    const space = rest.lastIndexOf(' ', MAX_SENTENCE);
    const piece = rest.slice(0, space > 0 ? space : MAX_SENTENCE);
    pieces.push(piece.toWellFormed());
    rest = rest.slice(piece.length).trimStart();
  }
  return rest === '' ? pieces : [...pieces, rest];
}
