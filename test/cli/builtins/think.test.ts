import { describe, expect, it, test } from 'vitest';
import type { ThinkingOutcome } from '../../../src/agent/model/chat-model.ts';
import { runBuiltin } from '../../../src/cli/builtins/run-builtin.ts';
import type { ChatSession } from '../../../src/cli/session/chat-session.ts';
import { FakeModel } from '../../agent/fakes.ts';

function sessionWith(outcome: ThinkingOutcome | undefined) {
  const asked: boolean[] = [];
  const setThinking = (on: boolean) => {
    asked.push(on);
    return outcome as ThinkingOutcome;
  };
  const model = Object.assign(new FakeModel([]), outcome && { setThinking });
  // The command needs no more of a session.
  const session = { opened: { model, name: 'tiny' }, showThinking: false } as unknown as ChatSession;
  const type = async (line: string) => (await runBuiltin(line, session))?.output;
  return { asked, session, type };
}

describe('/think', () => {
  test('on and off ask the model', async () => {
    const { asked, session, type } = sessionWith('done');
    expect(await type('/think off')).toBe('The model does not think before it answers.');
    expect(await type('/think on')).toBe('The model thinks before it answers.');
    expect([asked, session.showThinking]).toEqual([[false, true], false]);
  });

  test.each([
    ['none' as const, 'The chat template of tiny has no switch for thinking; nothing changes.'],
    ['less' as const, 'tiny cannot turn thinking off; it now thinks as little as it can.'],
    // A model of another kind, which has no such method.
    [undefined, 'The chat template of tiny has no switch for thinking; nothing changes.'],
  ])('%s is told', async (outcome, text) => {
    expect(await sessionWith(outcome).type('/think off')).toBe(text);
  });

  it('show, hide and nothing are about the screen', async () => {
    const { asked, session, type } = sessionWith('done');
    expect(await type('/think')).toBe('Thinking is shown.');
    expect(await type('/think hide')).toBe('Thinking is folded.');
    expect(await type('/think loudly')).toBe('/think takes on, off, show or hide.');
    expect([asked, session.showThinking]).toEqual([[], false]);
  });
});
