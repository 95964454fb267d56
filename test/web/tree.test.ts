import { describe, expect, it } from 'vitest';
import { apiMessages, questionText, replyText } from '../../web/conversation/api-messages.ts';
import { merged } from '../../web/conversation/merge.ts';
import {
  branchAt,
  childrenOf,
  choose,
  pathOf,
  pathTo,
  titleOf,
  withMessage,
} from '../../web/conversation/tree.ts';
import { DEFAULT_SETTINGS } from '../../web/conversation/types.ts';
import { question, reply, sample } from './messages.ts';

const idsOf = (messages: readonly { readonly id: string }[]) => messages.map(({ id }) => id).join(' ');

describe('branches', () => {
  it('shows the newest, and another when it is chosen', () => {
    expect(idsOf(pathOf(sample()))).toBe('q1 a2 q3 a5');
    expect(idsOf(pathOf(choose(sample(), 'a4')))).toBe('q1 a2 q3 a4');
    expect(idsOf(childrenOf(sample(), 'q3'))).toBe('a4 a5');
    expect(choose(sample(), 'nothing')).toEqual(sample());
  });

  it('where nothing was chosen, as in a file from elsewhere, the newest is shown', () => {
    expect(idsOf(pathOf({ ...sample(), chosen: {} }))).toBe('q1 a2 q3 a5');
    expect(idsOf(pathOf({ ...sample(), chosen: { '': 'gone', q3: 'a2' } }))).toBe('q1 a2 q3 a5');
  });

  it('an edited question begins a branch, and what follows the first one stays', () => {
    const edited = withMessage(sample(), question('q6', 'a2'), 6);
    expect(idsOf(pathOf(edited))).toBe('q1 a2 q6');
    expect(idsOf(pathOf(choose(edited, 'q3')))).toBe('q1 a2 q3 a5');
    const first = withMessage(sample(), question('q7', undefined), 7);
    expect(idsOf(pathOf(first))).toBe('q7');
  });

  it('a conversation of its own begins with the messages up to one, under other ids', () => {
    const ids = ['n1', 'n2', 'n3', 'n4', 'n5'];
    const branch = branchAt(sample(), 'a4', () => ids.shift() ?? '', 9);
    expect(pathOf(branch).map(({ id, parent }) => [id, parent])).toEqual([
      ['n2', undefined],
      ['n3', 'n2'],
      ['n4', 'n3'],
      ['n5', 'n4'],
    ]);
    expect(branch).toMatchObject({ id: 'n1', title: 'q1 (branch)', updated: 9 });
  });

  it('circles and messages without parents end', () => {
    const odd = {
      ...sample(),
      messages: { a: question('a1', 'b'), b: question('b1', 'a'), x: question('x1', 'gone') },
      chosen: { '': 'a' },
    };
    expect(pathOf(odd)).toEqual([]);
    expect(pathTo(odd, 'a').length).toBeLessThan(4);
    expect(pathTo(odd, undefined)).toEqual([]);
  });

  it('a title is the first line, shortened', () => {
    expect(titleOf('  What is\nthis')).toBe('What is');
    expect(titleOf('x'.repeat(100))).toHaveLength(60);
    expect(titleOf(' \n ')).toBe('New chat');
  });
});

describe('two tabs', () => {
  it('keep the messages of both, and of a reply the copy that has grown more', () => {
    const mine = withMessage(sample(), question('q8', 'a5'), 8);
    const longer = reply('a5', 'q3', [{ type: 'text', text: 'longer' }], { revision: 7 });
    const theirs = withMessage(withMessage(sample(), longer, 9), question('q9', 'a5'), 9);
    for (const both of [merged(mine, theirs), merged(theirs, mine)]) {
      expect(Object.keys(both.messages).sort()).toEqual(['a2', 'a4', 'a5', 'q1', 'q3', 'q8', 'q9']);
      expect(both.messages.a5).toMatchObject({ revision: 7 });
      expect(both.updated).toBe(9);
    }
    expect(pathOf(merged(mine, theirs)).at(-1)?.id).toBe('q8');
  });

  it('keep the title and the settings that were chosen last; where nobody chose, their own', () => {
    const settings = { ...DEFAULT_SETTINGS, ask: 'all' } as const;
    const titled = { ...sample(), title: 'Chosen', titled: 5 };
    const configured = { ...sample(), title: 'Before', titled: 4, settings, configured: 6 };
    for (const both of [merged(titled, configured), merged(configured, titled)])
      expect(both).toMatchObject({ title: 'Chosen', titled: 5, settings: { ask: 'all' }, configured: 6 });
    expect(merged({ ...sample(), title: 'Mine' }, sample()).title).toBe('Mine');
  });
});

describe('what the API gets', () => {
  it('the path, a system message if there is one, and no empty replies', () => {
    const path = [question('q1'), reply('a2', 'q1', []), question('q3', 'a2')];
    expect(apiMessages(path, ' ')).toEqual([
      { role: 'user', content: 'q1' },
      { role: 'user', content: 'q3' },
    ]);
    expect(apiMessages(path, 'Be brief.')[0]).toEqual({ role: 'system', content: 'Be brief.' });
  });

  it('files in fences that nothing in them closes', () => {
    const files = [{ name: 'a.md', text: 'x\n````\ny\n' }];
    expect(questionText({ ...question('q1'), files })).toBe('q1\n\nFile a.md:\n`````\nx\n````\ny\n`````');
    expect(questionText({ ...question('q1', undefined, ''), files: [{ name: 'b', text: '' }] })).toBe(
      'File b:\n```\n\n```',
    );
  });

  it('the texts beside calls as the server joins them', () => {
    const call = { type: 'call', id: '1', name: 'add', arguments: {}, state: 'done' } as const;
    const text = (said: string) => ({ type: 'text', text: said }) as const;
    expect(replyText(reply('a1', 'q', [text('A'), call, text('\nB')]))).toBe('A\nB');
    expect(replyText(reply('a1', 'q', [text('A'), call, text('B')]))).toBe('A\nB');
    expect(replyText(reply('a1', 'q', [{ type: 'thinking', text: 'hm' }, call, text('B')]))).toBe('B');
  });
});
