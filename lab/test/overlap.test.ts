import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { tempFolder } from '../../test/model/temp-folder.ts';

const script = fileURLToPath(new URL('../train-demo/overlap.py', import.meta.url));
const LONG = 'please tell me how many of the red apples on the old table are ripe today';
const questions = [
  { id: 1, question: [[{ role: 'user', content: LONG.toUpperCase().replace('apples', '"apples",') }]] },
  { id: 2, question: [[{ role: 'user', content: 'How many of the red apples on the old shelf?' }]] },
  {
    id: 3,
    question: 'Nothing alike.',
    function: [
      {
        description: 'Other words',
        parameters: { properties: { query: { type: 'string', description: LONG } } },
      },
    ],
  },
];

function overlap(asked: readonly object[], trained: string) {
  const folder = tempFolder({
    'bench/deep/a.json': asked.map(one => JSON.stringify(one)).join('\n'),
    'trained/t.txt': trained,
  });
  return spawnSync(
    process.env.PYTHON ?? 'python3',
    [script, `${folder}/bench`, '--texts', `${folder}/trained`],
    {
      encoding: 'utf8',
    },
  );
}

it('finds word sequences that questions and definitions share with what is trained on, whatever case and marks', () => {
  const { stdout, status } = overlap(questions, `Something else.\n${LONG}`);
  expect(stdout).toContain('| questions | 3 | 1 | 2 |\n| definitions | 2 | 1 | 1 |');
  expect(stdout).toContain("8 words: a.json: 'How many of the red apples on the old shelf?' shares");
  expect(status).toBe(1);
});

it('sequences do not run from one text into the next, and shorter ones are not counted', () => {
  const { stdout, status } = overlap(questions, LONG.replace(' red ', '\n').replace(' are ', '\n'));
  expect(stdout).toContain('| questions | 3 | 0 | 0 |');
  expect(status).toBe(0);
});

it('a folder without questions is an error', () => {
  const { stderr, status } = overlap([], 'a');
  expect(stderr).toContain('has no questions in .json, .jsonl or .txt files');
  expect(status).toBe(1);
});
