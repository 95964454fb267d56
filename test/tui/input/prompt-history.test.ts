import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expandPastes, placeholder } from '../../../src/tui/input/pastes.ts';
import { PromptHistory } from '../../../src/tui/input/prompt-history.ts';
import { tempFolder } from '../../model/temp-folder.ts';

function open(path: string) {
  const problems: string[] = [];
  return { history: new PromptHistory(path, message => problems.push(message)), problems };
}

test('prompts are there in the next run, newlines included; a repeated one once; the file is private', () => {
  const path = join(tempFolder(), 'state', 'history.jsonl');
  const { history, problems } = open(path);
  for (const prompt of ['one', 'two\nlines', 'two\nlines', ' ']) history.add(prompt);
  expect(open(path).history.entries).toEqual(['one', 'two\nlines']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(problems).toEqual([]);
});

test('what was pasted is apart in the next run too, numbered from 1', () => {
  const path = join(tempFolder(), 'history.jsonl');
  const [large, other] = ['see @secret.txt\n'.repeat(20), 'x'.repeat(2000)];
  const folded = (first: number) => `a ${placeholder(first, other)} b ${placeholder(first - 1, large)}`;
  const { history } = open(path);
  const whole = `a ${other} b ${large}`;
  history.add(whole, { text: folded(3), pastes: ['unused', 'too', large, other] });
  history.add('plain');
  for (const one of [history, open(path).history]) {
    expect(one.entries).toEqual([whole, 'plain']);
    const entry = one.folded(whole);
    expect(entry?.pastes).toEqual([other, large]);
    expect(entry && expandPastes(entry)).toBe(whole);
    expect(entry?.text).toBe(`a ${placeholder(0, other)} b ${placeholder(1, large)}`);
    expect(one.folded('plain')).toBeUndefined();
  }
});

test('a prompt that stands there as one text gets its pastes apart when it is sent again', () => {
  const path = join(tempFolder(), 'history.jsonl');
  const large = 'x'.repeat(2000);
  writeFileSync(path, `${JSON.stringify(large)}\n`);
  const { history } = open(path);
  history.add(large, { text: placeholder(0, large), pastes: [large] });
  history.add(large, { text: placeholder(0, large), pastes: [large] });
  history.add(large);
  for (const one of [history, open(path).history]) {
    expect(one.entries).toEqual([large, large]);
    expect(one.folded(large)?.pastes).toEqual([large]);
  }
});

test('two programs that share the file lose nothing', () => {
  const path = join(tempFolder(), 'history.jsonl');
  const [a, b] = [open(path).history, open(path).history];
  for (let number = 0; number < 50; number++) {
    a.add(`a${number}`);
    b.add(`b${number}`);
  }
  expect(open(path).history.entries).toHaveLength(100);
});

test('terminal sequences in the file do not come back', () => {
  const path = join(tempFolder(), 'history.jsonl');
  writeFileSync(path, '"a\\u001b]0;title\\u0007b"\n');
  expect(open(path).history.entries).toEqual(['ab']);
});

test('broken lines are passed over with one message, and the rest is kept', () => {
  const path = join(tempFolder(), 'history.jsonl');
  writeFileSync(path, '"good"\n{"x":1}\n"cut o');
  const { history, problems } = open(path);
  expect(history.entries).toEqual(['good']);
  expect(problems).toEqual([expect.stringContaining('2 lines of')]);
});

test('a place that cannot be written is told once, and the prompts of this run are kept', () => {
  const path = join(tempFolder(), 'history.jsonl');
  mkdirSync(path);
  const { history, problems } = open(path);
  history.add('one');
  history.add('two');
  expect(history.entries).toEqual(['one', 'two']);
  expect(problems).toHaveLength(1);
});

test('a full file makes room without losing what it held', () => {
  const path = join(tempFolder(), 'history.jsonl');
  const { history } = open(path);
  history.add('before');
  appendFileSync(path, `${JSON.stringify('x'.repeat(1_100_000))}\n`);
  history.add('after');
  expect(readFileSync(path, 'utf8')).toBe('"after"\n');
  expect(open(path).history.entries.map(entry => entry.slice(0, 6))).toEqual(['before', 'xxxxxx', 'after']);
});
