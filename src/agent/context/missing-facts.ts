import type { Message } from '../../chat/message.ts';

const MAX_FACTS = 40;
const MAX_CHARS = 60;
const NUMBER = /(?<![\p{L}\d])\d[\d.,:/-]*\d(?![\p{L}\d])/gu;
/** Capitalized words that do not begin a sentence or line. */
const NAME = /(?<=[\p{L}\d,;:)]\s)\p{Lu}[\p{L}\d'-]+(?:\s\p{Lu}[\p{L}\d'-]+)*/gu;
/** Its parts are no longer than a fact: without bounds each character of a long word would look at all that follow. */
const PATH = /(?:[\w.-]{0,60}\/)?[\w-]{1,60}\.[a-z]{1,5}\b/g;

/** Numbers, names and paths that the user and the model wrote and a summary lacks, each once, in order. */
export function missingFacts(messages: readonly Message[], summary: string): string[] {
  const told = messages.filter(({ role }) => role === 'user' || role === 'assistant');
  const texts = told.map(({ content }) => content.replaceAll(/```[\s\S]*?(?:```|$)/g, ''));
  const facts = texts.flatMap(text => [NUMBER, NAME, PATH].flatMap(pattern => text.match(pattern) ?? []));
  const known = summary.toLowerCase();
  const missing = facts.filter(fact => fact.length <= MAX_CHARS && !known.includes(fact.toLowerCase()));
  return [...new Set(missing)].slice(0, MAX_FACTS);
}
