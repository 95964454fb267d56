import { describe, expect, it } from 'vitest';
import { createHistory, parseHistory } from '../../src/chat/history.ts';

const user = (content: string) => ({ role: 'user', content }) as const;
const assistant = (content: string) => ({ role: 'assistant', content }) as const;

describe('history', () => {
  it('starts with the system message, if there is one', () => {
    expect(createHistory('S').messages).toEqual([{ role: 'system', content: 'S' }]);
    expect(createHistory().messages).toEqual([]);
  });

  it('keeps messages in order, and what was handed out does not change', () => {
    const history = createHistory();
    const before = history.messages;
    history.add(user('a'), assistant('b'));
    history.add(user('c'));
    expect(history.messages.map(message => message.content)).toEqual(['a', 'b', 'c']);
    expect(before).toEqual([]);
  });

  it('goes back to a mark, and no further than it has come', () => {
    const history = createHistory('S');
    const mark = history.mark();
    history.add(user('a'));
    const late = history.mark();
    history.rollback(mark);
    expect(history.messages.length).toBe(1);
    expect(() => history.rollback(late)).toThrow(RangeError);
    expect(() => history.rollback(-1)).toThrow(RangeError);
    history.rollback(mark);
    expect(history.messages.length).toBe(1);
  });

  it('takes the last turn back whole', () => {
    const history = createHistory('S');
    history.add(user('a'), assistant('b'), user('c'), assistant(''), {
      role: 'tool',
      name: 'f',
      tool_call_id: '1',
      content: 'r',
    });
    expect(history.undoTurn()).toBe(true);
    expect(history.messages.map(message => message.content)).toEqual(['S', 'a', 'b']);
    expect(history.undoTurn()).toBe(true);
    expect(history.undoTurn()).toBe(false);
  });

  it('clears all but the system message', () => {
    const history = createHistory('S');
    history.add(user('a'));
    history.clear();
    history.clear();
    expect(history.messages).toEqual([{ role: 'system', content: 'S' }]);
    const bare = createHistory();
    bare.add(user('a'));
    bare.clear();
    expect(bare.messages).toEqual([]);
  });

  it('comes back from its JSON', () => {
    const history = createHistory('S');
    history.add(user('é 😀 \u0000'), { role: 'tool', name: 'f', tool_call_id: '1', content: '' });
    expect(parseHistory(JSON.stringify(history)).messages).toEqual(history.messages);
  });

  it.each(['', '{', '{}', 'null', '[1]', '[{"role":"root","content":"x"}]', '[{"role":"user"}]'])(
    'refuses %j as JSON',
    json => {
      expect(() => parseHistory(json)).toThrow(expect.objectContaining({ code: 'CONFIG' }));
    },
  );
});
