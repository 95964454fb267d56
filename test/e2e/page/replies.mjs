// What the scripted engine answers in the tests and pictures of the page, by the last question.

const callOf = (name, args) => `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;

export const MARKDOWN = `A **list** and some code:

1. Read the file
2. Count its words

\`\`\`python
from collections import Counter

def count_words(path: str) -> Counter:
    """Counts the words of a file."""
    with open(path) as file:
        return Counter(file.read().lower().split())  # case does not matter

print(count_words("notes.txt").most_common(3))
\`\`\`

| word | times |
| :--- | ----: |
| the | 42 |
| model | 17 |
`;

const LINES = 2000;
const LONG = Array.from(
  { length: LINES },
  (_, line) => `Line ${line} of a **long** reply\n${line % 4 === 3 ? '\n' : ''}`,
).join('');

const PROGRAM = `\`\`\`python\n${Array.from({ length: LINES }, (_, line) => `def f${line}(x): return x + ${line}  # adds\n`).join('')}\`\`\`\n`;
/** What two blocks refer to is defined between them, far from both. */
const REFERENCES = [
  'See [the first][one].',
  ...Array.from({ length: 20 }, (_, index) => `Paragraph ${index} has words.`),
  '[one]: https://example.org/one\n[two]: https://example.org/two',
  ...Array.from({ length: 20 }, (_, index) => `Paragraph ${index} has more words.`),
  'And [the second][two].',
  ...Array.from({ length: 20 }, (_, index) => `Paragraph ${index} has other words.`),
].join('\n\n');
const SLOW = Array.from({ length: 30_000 }, (_, index) => `word ${index}`).join(' ');

/** @param {string} prompt */
export function reply(prompt) {
  const question = prompt.slice(prompt.lastIndexOf('<|im_start|>user\n') + 17);
  if (question.startsWith('<tool_response>'))
    return question.includes('Error')
      ? 'It was not deleted.'
      : question.includes('42')
        ? 'That makes 42.'
        : 'The file is gone.';
  const [, file] = /delete (\S+\.txt)/.exec(question) ?? [];
  if (file) return `I delete it.\n${callOf('delete_file', { filename: file })}`;
  const [, sum] = /add (\d+)/.exec(question) ?? [];
  if (sum) return callOf('add', { a: Number(sum), b: 1 });
  if (question.startsWith('long')) return LONG;
  if (question.startsWith('program')) return PROGRAM;
  if (question.startsWith('references')) return REFERENCES;
  if (question.startsWith('slow')) return SLOW;
  if (question.startsWith('words') || question.includes('count')) return MARKDOWN;
  return `You said: ${question.split('<|im_end|>', 1)[0]}`;
}
