import { describe, expect, test } from 'vitest';
import { expandPastes, foldAgain, placeholder } from '../../../src/tui/input/pastes.ts';

const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}`).join('\n');
const LARGE = `see @secret.txt, "@notes.txt" and @"my keys" of me@home,\n${lines(0, 20)}`;
const OTHER = lines(100, 120);

const prompt = (text: string, ...pastes: string[]) => ({ text, pastes });
const mark = (index: number, pasted: string) => placeholder(index, pasted);

/** What is folded again of the expanded text after an edit; it always stands for the edited text. */
function refolded(state: ReturnType<typeof prompt>, edit: (text: string) => string): string {
  const edited = edit(expandPastes(state));
  const folded = foldAgain(state, edited);
  expect(expandPastes(folded)).toBe(edited);
  return folded.text;
}

describe('a prompt with pastes that was edited elsewhere', () => {
  const state = prompt(`a ${mark(0, LARGE)} b ${mark(1, OTHER)}!`, LARGE, OTHER);

  test('has unchanged pastes folded as before, wherever they are now, and as often', () => {
    expect(refolded(state, text => text)).toBe(state.text);
    expect(refolded(state, text => `@mine ${text} @too`)).toBe(`@mine ${state.text} @too`);
    expect(refolded(state, text => `${text} ${LARGE}`)).toBe(`${state.text} ${mark(0, LARGE)}`);
    expect(refolded(state, () => `${OTHER} x ${LARGE}`)).toBe(`${mark(1, OTHER)} x ${mark(0, LARGE)}`);
  });

  test('has the names of a changed paste folded, with nothing around them', () => {
    const edited = refolded(state, text => text.replace('line 3', 'line three'));
    expect(edited).toContain('see [Pasted text #3: 1 line], "[Pasted text #4: 1 line]" and');
    expect(edited).toContain('and [Pasted text #5: 1 line] of me@home,\nline 0');
    expect(edited).toMatch(/ b \[Pasted text #2: 20 lines\]!$/);
  });

  test('may name more than before', () => {
    const edited = refolded(state, text => `@mine ${text.replace('line 3', '@new @secret.txt')}`);
    expect(edited.match(/@[\w."]+/g)).toEqual(['@mine', '@secret.txt', '@home', '@new', '@secret.txt']);
    const typed = prompt(`@secret.txt ${mark(0, LARGE)}`, LARGE);
    expect(refolded(typed, text => text.replace('line 3', 'x'))).toMatch(
      /^@secret\.txt see @secret\.txt, "\[/,
    );
  });

  test('stays protected when it is edited again', () => {
    const once = foldAgain(state, expandPastes(state).replace('line 3', 'x'));
    const twice = foldAgain(once, expandPastes(once).replace('line 4', 'y'));
    expect(twice.text.match(/@[\w."]+/g)).toEqual(['@home']);
    expect(expandPastes(twice)).toContain('see @secret.txt, "@notes.txt" and @"my keys" of');
  });

  test('has names within names folded too', () => {
    const nested = prompt(mark(0, `"@'see @secret.txt'" ${OTHER}`), `"@'see @secret.txt'" ${OTHER}`);
    expect(refolded(nested, text => text.replaceAll("'", ''))).toMatch(
      /^"@see \[Pasted text #2: 1 line\]" line/,
    );
  });

  test('of a hostile paste is folded at once', () => {
    const hostile = `@${'.'.repeat(200_000)}x ${'@"'.repeat(50_000)} ${'@\\ '.repeat(50_000)}`;
    const started = performance.now();
    refolded(prompt(mark(0, hostile), hostile), text => `${text.slice(0, 5)}-${text.slice(5)}`);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test('is as typed if its pastes are gone: they may be named again', () => {
    expect(refolded(state, () => '@secret.txt')).toMatch(/^\[Pasted text #3: 1 line\]$/);
    expect(refolded(prompt('a', LARGE), () => '@secret.txt')).toBe('@secret.txt');
  });

  test('may lack the empty lines at its end', () => {
    const ended = prompt(`a ${mark(0, `${LARGE}\n`)}`, `${LARGE}\n`);
    expect(foldAgain(ended, `a ${LARGE}`).text).toBe(ended.text);
  });
});
