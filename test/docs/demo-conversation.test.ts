import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './command-lines.ts';

const SAMPLE = join(ROOT, 'models', 'demo', 'sample');
const FILES = readdirSync(SAMPLE).map(name =>
  statSync(join(SAMPLE, name)).isDirectory() ? `${name}/` : name,
);
const SHOPPING = readFileSync(join(SAMPLE, 'shopping.txt'), 'utf8').trim().split('\n');

/** What is true of an answer, by its prompt; the real demo gives the same answers, by test/e2e/smoke/demo.test.ts. */
const TRUE: Readonly<Record<string, readonly string[]>> = {
  'What is 17 + 25?': ['17', '25', '42'],
  'What is 17 plus 25?': ['17', '25', '42'],
  'List the files.': FILES,
  'What does shopping.txt say?': ['shopping.txt', ...SHOPPING],
  'What is the capital of France?': ['Paris'],
  'I have 37 apples and buy 58 more. How many now?': ['37', '58', '95'],
};
/** Words that an answer may have besides its facts. */
const FILLERS = /\b(?:the|files|are|is|and|says|capital|of|france)\b|[:,.+\s]/gi;

function conversationOf(page: string): [string, string][] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return text
    .split(/^prompt -> /m)
    .slice(1)
    .map(turn => [turn.split('\n')[0] ?? '', /^assistant -> (.*)$/m.exec(turn)?.[1] ?? '']);
}

test.each(['README.md', 'docs/tutorial.md'])('%s: what the demo answers there is true, and no more', page => {
  const turns = conversationOf(page);
  expect(turns.length).toBeGreaterThan(1);
  for (const [prompt, answer] of turns) {
    const facts = TRUE[prompt] ?? [];
    expect(facts, prompt).not.toEqual([]);
    let rest = answer;
    for (const fact of facts) {
      expect(rest, prompt).toContain(fact);
      rest = rest.replace(fact, ' ');
    }
    expect(rest.replaceAll(FILLERS, ''), answer).toBe('');
  }
});

test("README's prompts are those of the scripted conversation", () => {
  const scripted = readFileSync(join(ROOT, 'models', 'demo', 'conversation.txt'), 'utf8')
    .trim()
    .split('\n');
  expect(conversationOf('README.md').map(([prompt]) => prompt)).toEqual(scripted);
});
