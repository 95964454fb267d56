import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StreamEvent } from '../../web/api/chat-stream.ts';
import { replyText } from '../../web/conversation/api-messages.ts';
import { abandoned, finished, withEvents } from '../../web/turn/reply-reducer.ts';
import { speedOf, speedText } from '../../web/turn/speed.ts';
import { reply } from './messages.ts';

const empty = reply('a1', 'q', [], { state: 'writing', revision: 0 });
const text = (said: string): StreamEvent => ({ type: 'text', text: said });
const asked: StreamEvent = {
  type: 'tool_approval',
  id: '1',
  approval: 'x',
  name: 'rm',
  server: 's',
  arguments: { a: 1 },
  reason: 'destructive',
  seconds: 300,
};
const called: StreamEvent = { type: 'tool_call', id: '1', name: 'rm', arguments: { a: 1 } };

describe('a reply', () => {
  it('is the same however its events come', () => {
    const events: StreamEvent[] = [
      text('Let me '),
      text('see.'),
      called,
      { type: 'tool_progress', id: '1', message: '1 of 2' },
      { type: 'tool_result', id: '1', name: 'rm', text: 'gone', seconds: 1.5 },
      { type: 'notice', message: 'Note' },
      text('\nDone.'),
      { type: 'finish', reason: 'stop' },
      { type: 'usage', usage: { promptTokens: 5, replyTokens: 10, cachedTokens: 1 } },
    ];
    const whole = withEvents(empty, events, 10);
    expect(whole.parts.map(({ type }) => type)).toEqual(['text', 'call', 'notice', 'text']);
    expect(whole).toMatchObject({ state: 'done', usage: { replyTokens: 10 }, revision: 1 });
    fc.assert(
      fc.property(fc.subarray([1, 2, 3, 4, 5, 6, 7, 8]), cuts => {
        const pieces = [0, ...cuts].map((at, index) => events.slice(at, [...cuts, 9][index]));
        const made = pieces.reduce((grown, piece) => withEvents(grown, piece, 10), empty);
        expect(made.parts).toEqual(whole.parts);
        expect(replyText(made)).toBe('Let me see.\nDone.');
      }),
    );
    expect(empty.parts).toEqual([]);
  });

  it('has the name of the model that answers, also where it was asked before the models were known', () => {
    expect(withEvents({ ...empty, model: '' }, [{ type: 'model', name: 'demo' }], 1).model).toBe('demo');
  });

  it('asks, and the answer of the server ends the question', () => {
    const asking = withEvents(empty, [called, asked], 0);
    expect(asking.parts).toMatchObject([{ state: 'asking', question: { approval: 'x' }, server: 's' }]);
    const refused: StreamEvent = {
      type: 'tool_error',
      id: '1',
      name: 'rm',
      message: 'no',
      seconds: 0,
      refused: true,
    };
    expect(withEvents(asking, [refused], 1).parts).toMatchObject([{ state: 'refused', result: 'no' }]);
    expect(finished(asking, { state: 'stopped' }, 1).parts).toMatchObject([{ state: 'ended' }]);
  });

  it('ends as cut, stopped, failed, or abandoned', () => {
    const cut = withEvents(empty, [text('a'), { type: 'finish', reason: 'length' }], 1);
    expect(finished(cut, undefined, 2).state).toBe('cut');
    expect(finished(empty, undefined, 2).state).toBe('stopped');
    expect(finished(empty, { state: 'failed', error: 'gone' }, 2)).toMatchObject({ error: 'gone' });
    expect(abandoned(empty, 2)).toMatchObject({ state: 'stopped', changed: 2, revision: 1 });
  });

  it('events for calls that it has not are nothing, and no events change nothing', () => {
    expect(withEvents(empty, [asked], 0).parts).toEqual([]);
    expect(withEvents(empty, [], 5)).toBe(empty);
  });
});

describe('speed', () => {
  it('counts the time in which text came, not tools and waiting', () => {
    let grown = empty;
    for (const at of [1000, 1100, 1200]) grown = withEvents(grown, [text('a')], at);
    grown = withEvents(grown, [called], 1200);
    grown = withEvents(grown, [text('b')], 60_000);
    grown = withEvents(grown, [text('c')], 60_100);
    expect(grown.writingMs).toBe(300);
    const usage = { promptTokens: 1, replyTokens: 30, cachedTokens: 0 };
    expect(speedOf({ ...grown, usage })).toBe(100);
    expect(speedOf(grown)).toBeUndefined();
    expect([speedText(8.25), speedText(412.3)]).toEqual(['8.3 tokens/s', '412 tokens/s']);
  });

  it('the last prompt is as long as the server says', () => {
    const status = (said: string): StreamEvent => ({ type: 'status', text: said });
    const read = [status('prefill 10/80'), status('prefill 100/120'), status('waiting, 2 ahead')];
    expect(withEvents(empty, read, 0).promptTokens).toBe(120);
  });
});
