import { describe, expect, test } from 'vitest';
import { complete } from '../../../src/tui/input/complete.ts';
import {
  type Edited,
  type EditorContext,
  type EditorState,
  EMPTY,
  edit,
} from '../../../src/tui/input/editor.ts';
import { KeyDecoder } from '../../../src/tui/input/keys.ts';

const CONTEXT: EditorContext = {
  history: ['first', 'second one', 'third'],
  busy: false,
  complete: (text, cursor) =>
    complete(text, cursor, {
      commands: ['help', 'save', 'sessions', 'stats'],
      tools: ['read_file', 'list_files'],
      resources: ['notes.md'],
    }),
};

/** Types these bytes into an empty prompt; `|` in a result stands for the cursor. */
function typed(bytes: string, context: Partial<EditorContext> = {}): Edited & { shown: string } {
  const decoder = new KeyDecoder();
  const keys = [...decoder.push(Buffer.from(bytes)), ...decoder.flush()];
  let edited: Edited = { state: EMPTY };
  for (const key of keys) edited = edit(edited.state, key, { ...CONTEXT, ...context });
  return { ...edited, shown: shown(edited.state) };
}

const shown = ({ text, cursor }: EditorState) => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

const control = (letter: string) => String.fromCharCode(letter.charCodeAt(0) - 64);
const [A, B, D, E, F] = [control('A'), control('B'), control('D'), control('E'), control('F')];
const [G, J, K, L, O] = [control('G'), control('J'), control('K'), control('L'), control('O')];
const [R, U, W, Y, CTRL_C] = [control('R'), control('U'), control('W'), control('Y'), control('C')];
const [ESC, UP, DOWN, LEFT] = ['\u001b', '\u001b[A', '\u001b[B', '\u001b[D'];
const [RIGHT, DELETE, BACKSPACE] = ['\u001b[C', '\u001b[3~', '\u007f'];

describe('every key', () => {
  test.each([
    ['text', 'abc', 'abc|'],
    ['left and right', `abc${LEFT}${LEFT}${RIGHT}`, 'ab|c'],
    ['a grapheme is one step', `a👩‍👩‍👧漢é${LEFT}${LEFT}${LEFT}`, 'a|👩‍👩‍👧漢é'],
    ['backspace takes a whole grapheme', `a👩‍👩‍👧${BACKSPACE}`, 'a|'],
    ['delete', `abc${A}${DELETE}`, '|bc'],
    ['Ctrl+A', `abc${A}`, '|abc'],
    ['Ctrl+E', `abc${A}${E}`, 'abc|'],
    ['Ctrl+B and Ctrl+F', `abc${B}${B}${F}`, 'ab|c'],
    ['Ctrl+A and Ctrl+E stay in their line', `ab${J}cd${A}x${E}y`, 'ab\nxcdy|'],
    ['Ctrl+K and Ctrl+Y', `one two${A}${K}x${Y}`, 'xone two|'],
    ['Ctrl+K at the end of a line joins it', `a${J}b${UP}${E}${K}`, 'a|b'],
    ['Ctrl+U', `one two${LEFT}${U}`, '|o'],
    ['Ctrl+W', `one two-three ${W}`, 'one |'],
    ['Ctrl+W then Ctrl+Y', `one two${W}${A}${Y}`, 'two|one '],
    ['Alt+B', `one two-three${ESC}b${ESC}b`, 'one |two-three'],
    ['Alt+F', `one two${A}${ESC}f`, 'one| two'],
    ['Alt+D', `one two${A}${ESC}d`, '| two'],
    ['Ctrl+D in a text deletes', `ab${A}${D}`, '|b'],
    ['Ctrl+J is a newline', `a${J}b`, 'a\nb|'],
    ['Alt+Enter is a newline', `a${ESC}\rb`, 'a\nb|'],
    ['backslash and Enter is a newline', 'a\\\rb', 'a\nb|'],
    ['Up and Down move between lines', `abcd${J}xy${UP}-${DOWN}+`, 'ab-cd\nxy+|'],
    ['Up is the history', UP, 'third|'],
    ['Up twice and Down', `${UP}${UP}${DOWN}`, 'third|'],
    ['the draft comes back', `draft${UP}${UP}${DOWN}${DOWN}`, 'draft|'],
    ['Up at the oldest stays', `${UP}${UP}${UP}${UP}${UP}`, 'first|'],
    ['Ctrl+R finds the newest', `${R}s\t`, 'second one|'],
    ['Ctrl+R again finds an older one', `${R}ir${R}\t`, 'first|'],
    ['Ctrl+R and Esc gives the draft back', `draft${R}ir${ESC}`, 'draft|'],
    ['Ctrl+R and backspace', `${R}irz${BACKSPACE}\t`, 'third|'],
    ['Esc twice clears', `abc${ESC}${ESC}`, '|'],
    ['Esc once does not', `abc${ESC}`, 'abc|'],
    ['Ctrl+C clears a text', `abc${CTRL_C}`, '|'],
    ['Tab completes a command', '/he\t', '/help |'],
    ['Tab offers several and goes round', '/s\t\t', '/sessions|'],
    ['Shift+Tab goes back', '/s\t\u001b[Z', '/stats|'],
    ['Down and Up choose in an open menu', `/s${DOWN}${DOWN}${UP}`, '/save|'],
    ['Up in an open menu begins at its end', `/s${UP}`, '/stats|'],
    ['Tab completes a tool', 'use read\t', 'use read_file |'],
    ['Tab completes a resource', 'see @no\t', 'see @notes.md |'],
    ['Tab without a match is nothing', 'xyz\t', 'xyz|'],
  ])('%s', (_name, bytes, result) => {
    expect(typed(bytes).shown).toBe(result);
  });

  test.each([
    ['Enter', 'hi\r', {}, { type: 'submit', text: 'hi' }],
    ['Enter on a found entry', `${R}sec\r`, {}, { type: 'submit', text: 'second one' }],
    ['Ctrl+C when idle', CTRL_C, {}, { type: 'leave' }],
    ['Ctrl+C when busy', `abc${CTRL_C}`, { busy: true }, { type: 'interrupt' }],
    ['Esc when busy', `abc${ESC}`, { busy: true }, { type: 'cancel' }],
    ['Ctrl+D when empty', D, {}, { type: 'leave' }],
    ['Ctrl+G', `abc${G}`, {}, { type: 'editor' }],
    ['Ctrl+L', L, {}, { type: 'redraw' }],
    ['Ctrl+O', O, {}, { type: 'expand' }],
  ])('%s', (_name, bytes, context, effect) => {
    expect(typed(bytes, context).effect).toEqual(effect);
  });

  test('Enter on nothing, and on blanks, asks nothing', () => {
    expect(typed('\r').effect).toBeUndefined();
    expect(typed('  \r')).toMatchObject({ shown: '|' });
  });
});

describe('pastes', () => {
  const paste = (text: string) => `\u001b[200~${text}\u001b[201~`;
  const big = Array.from({ length: 500 }, (_, index) => `line ${index}`).join('\n');

  test('a newline in a paste never submits', () => {
    const { shown: result, effect } = typed(paste('a\nb\n'));
    expect([result, effect]).toEqual(['a\nb\n|', undefined]);
  });

  test('500 lines are folded, and sent whole; the line break at their end is no line', () => {
    expect(typed(paste(`${big}\n`)).shown).toBe('[Pasted text #1: 500 lines]|');
    expect(typed(`see ${paste(big)}`).shown).toBe('see [Pasted text #1: 500 lines]|');
    expect(typed(`see ${paste(big)}!\r`).effect).toEqual({
      type: 'submit',
      text: `see ${big}!`,
      folded: 'see [Pasted text #1: 500 lines]!',
    });
  });

  test('backspace takes a folded paste away whole', () => {
    expect(typed(`see ${paste(big)}${BACKSPACE}`).shown).toBe('see |');
  });

  test.each([
    ['Ctrl+W', `see ${paste(big)}${W}`, 'see |'],
    ['Alt+Backspace', `see ${paste(big)}${ESC}${BACKSPACE}`, 'see |'],
    ['Delete at its start', `see ${paste(big)}${A}${RIGHT.repeat(4)}${DELETE}`, 'see |'],
    ['Ctrl+K in its middle', `see ${paste(big)} it${LEFT.repeat(9)}${K}`, 'see |'],
    ['Ctrl+U in its middle', `see ${paste(big)} it${LEFT.repeat(9)}${U}`, '| it'],
    ['Backspace in its middle', `see ${paste(big)} it${LEFT.repeat(9)}${BACKSPACE}`, 'see | it'],
  ])('%s takes a folded paste away whole', (_key, bytes, left) => {
    expect(typed(bytes).shown).toBe(left);
  });

  test.each([
    ['another prompt was sent', 'hi\r'],
    ['a prompt was cleared', `x${CTRL_C}`],
    ['another paste was sent', `${paste(`other\n${big}`)}\r`],
    ['nothing was sent', '\r'],
  ])('what was cut with a folded paste in it comes back whole after %s', (_what, between) => {
    const { effect } = typed(`see ${paste(big)}!${U}${between}${Y}\r`);
    expect(effect).toMatchObject({ type: 'submit', text: `see ${big}!` });
  });

  test('terminal sequences in a paste are neither shown nor sent', () => {
    const hostile = 'a\u001b]0;title\u0007b\u001b[2Jc\td\u009b1me';
    expect(typed(paste(hostile)).shown).toBe('abc\td1me|');
    expect(typed(`${paste(`${big}${hostile}`)}\r`).effect).toMatchObject({ text: `${big}abc\td1me` });
    expect(typed(`${R}${paste('\u001b]0;t\u0007sec')}\t`).shown).toBe('second one|');
  });

  test.each([
    ['text', 'not '],
    ['another paste', paste('a\nb')],
    ['what Ctrl+Y yanks', Y],
    ['a line break', J],
  ])('%s in a folded paste goes behind it: in it, the placeholder would be sent instead', (_what, bytes) => {
    const inside = `cut${W}see ${paste(big)} it${LEFT.repeat(9)}`;
    const mark = '[Pasted text #1: 500 lines]';
    const { shown: after, state } = typed(`${inside}${bytes}`);
    const added = after.slice(`see ${mark}`.length, after.indexOf('|'));
    expect(after).toBe(`see ${mark}${added}| it`);
    expect(added).not.toBe('');
    expect(edit(state, { type: 'key', name: 'enter' }, CONTEXT).effect).toMatchObject({
      text: `see ${big}${added} it`,
    });
  });

  test('text beside a folded paste, or in a placeholder of none, goes where the cursor is', () => {
    const mark = '[Pasted text #1: 500 lines]';
    expect(typed(`${paste(big)}${A}x`).shown).toBe(`x|${mark}`);
    expect(typed(`[Pasted text #7: 2 lines]${LEFT}x`).shown).toBe('[Pasted text #7: 2 linesx|]');
  });

  describe('in an earlier prompt', () => {
    const entry = `see ${big}!`;
    const mark = '[Pasted text #1: 500 lines]';
    const earlier: Partial<EditorContext> = {
      history: ['first', entry],
      folded: text => (text === entry ? { text: `see ${mark}!`, pastes: [big] } : undefined),
    };
    const second = '[Pasted text #2: 500 lines]';
    test.each([
      ['Up', UP, `see ${mark}!`, entry],
      ['Ctrl+R', `${R}line 499\t`, `see ${mark}!`, entry],
      ['Up, twice, and Down', `${UP}${UP}${DOWN}`, `see ${mark}!`, entry],
      ['Up after the same paste', `${paste(big)}${UP}`, `see ${mark}!`, entry],
      ['Up after another one', `${paste(`${big}x`)}${UP}`, `see ${second}!`, entry],
      ['Up and back to another one', `${paste(`${big}x`)}${UP}${DOWN}`, mark, `${big}x`],
    ])('stays folded, so that it names no files: %s', (_keys, bytes, folded, text) => {
      expect(typed(`${bytes}\r`, earlier).effect).toEqual({ type: 'submit', text, folded });
    });
  });

  test('a placeholder that was typed by hand stays what it is', () => {
    expect(typed('[Pasted text #7: 2 lines]\r').effect).toEqual({
      type: 'submit',
      text: '[Pasted text #7: 2 lines]',
    });
  });
});

describe('the menu', () => {
  const menu = (bytes: string) => typed(bytes).state.menu;

  test('opens while a command or a resource is typed, with nothing selected', () => {
    expect(menu('/s')).toEqual({ start: 0, options: ['/save', '/sessions', '/stats'], index: -1 });
    expect(menu('/se')?.options).toEqual(['/sessions']);
    expect(menu(`/se${BACKSPACE}`)?.options).toHaveLength(3);
    expect(menu('see @')?.options).toEqual(['@notes.md']);
  });

  test('closes where nothing is left to complete, at Esc, and at Enter, which sends what is typed', () => {
    for (const bytes of ['/help', '/x', '/s more', 'read', `/s${ESC}`, `/s${LEFT}`])
      expect(menu(bytes)).toBeUndefined();
    expect(typed('/s\r')).toMatchObject({
      effect: { type: 'submit', text: '/s' },
      state: { menu: undefined },
    });
  });
});

describe('files after an at sign', () => {
  const PATHS: Readonly<Record<string, string[]>> = {
    '': ['my notes.txt', 'other dir/', 'src/'],
    s: ['src/'],
    'src/': ['src/a.ts', 'src/b.ts'],
    'src/a': ['src/a.ts'],
    'my n': ['my notes.txt'],
    o: ['other dir/'],
    'other dir/': ['other dir/x'],
  };
  const files = (text: string) => PATHS[text] ?? [];
  const withFiles: Partial<EditorContext> = {
    complete: (text, cursor) =>
      complete(text, cursor, { commands: [], tools: [], resources: ['mcp:x'], files }),
  };
  test.each([
    ['a folder opens, without a space', '@s\t', '@src/|', ['@src/a.ts', '@src/b.ts']],
    ['Enter opens the folder that is selected', `@${UP}\r`, '@src/|', ['@src/a.ts', '@src/b.ts']],
    ['a file is followed by a space', '@src/a\t', '@src/a.ts |', undefined],
    [
      'a name with a space is quoted',
      `see @${DOWN}${DOWN}`,
      'see @"my notes.txt"|',
      ['@mcp:x', '@"my notes.txt"', '@"other dir/', '@src/'],
    ],
    ['what is quoted goes on', '@"my n\t', '@"my notes.txt" |', undefined],
    ['a folder in quotes stays open', '@o\t', '@"other dir/|', ['@"other dir/x"']],
    ['an e-mail address opens nothing', 'me@s', 'me@s|', undefined],
  ] as const)('%s', (_what, keys, text, options) => {
    const { shown: after, state } = typed(keys, withFiles);
    expect([after, state.menu?.options]).toEqual([text, options]);
  });
});
