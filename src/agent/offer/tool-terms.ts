/** Words that say nothing about what is wanted. */
const STOP_WORDS = new Set(
  (
    'a about all am an and any are as at be been but by can could did do does for from had has have he help her his how i if in ' +
    'into is it its just let like me my need of on or our please she should so some than that the their them then there ' +
    'these they this those to up us want was we were what when where which who will with would you your'
  ).split(' '),
);

/** Longer texts are no questions, and a pasted file must not take the time of a turn. */
const MAX_CHARS = 4000;

/** The words of a text or name, each without its ending; `createIssue`, `create_issue` and `creating issues` agree. */
export function termsOf(text: string): string[] {
  return text
    .slice(0, MAX_CHARS)
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replace(/['’]s\b/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '' && !STOP_WORDS.has(word) && !/^\d+$/.test(word))
    .map(stem);
}

/** A word without the endings of English plurals and verbs. */
export function stem(word: string): string {
  if (word.length < 4 || word === 'times') return word;
  let base = word
    .replace(/ies$/, 'y')
    .replace(/(?<=ss|x|ch|sh)es$/, '')
    .replace(/(?<=[^su])s$/, '');
  if (base.length > 5) base = base.replace(/(?:ing|ed|ion|er|or|(?<=....)ment)$/, '');
  return base
    .replace(/(?<=..)([^aeioulsz])\1$/, '$1')
    .replace(/(?<=..)e$/, '')
    .replace(/(?<=..)y$/, 'i');
}
