import { describe, expect, it } from 'vitest';
import type { TurnEvent } from '../../../src/agent/events/turn-event.ts';
import { TurnLoop } from '../../../src/cli/chat/turn-loop.ts';
import { noteSequence, type TurnNote, turnNoteOf } from '../../../src/cli/chat/turn-note.ts';
import { checkNumbers } from '../../../src/cli/options/check-options.ts';
import { Signals } from '../../../src/cli/process/signals.ts';
import type { ChatSession } from '../../../src/cli/session/chat-session.ts';
import { parseConfig } from '../../../src/cli/settings/config-file.ts';

describe('what tells the end of a long turn', () => {
  it.each([
    [{}, {}, undefined],
    [{ notify: 'bell' }, {}, { kind: 'bell', after: 10 }],
    [{ notifyAfter: 3 }, {}, { kind: 'bell', after: 3 }],
    [{}, { notify: {} }, { kind: 'bell', after: 10 }],
    [{}, { notify: { with: 'osc9', after: 30 } }, { kind: 'osc9', after: 30 }],
    [
      { notify: 'osc777', notifyAfter: 0 },
      { notify: { with: 'osc9', after: 30 } },
      { kind: 'osc777', after: 0 },
    ],
    [{ notify: 'off' }, { notify: { with: 'osc9' } }, undefined],
    [{}, { notify: { with: 'off' } }, undefined],
  ] as const)('%j and %j: %j', (args, config, note) => {
    expect(turnNoteOf(args, config)).toEqual(note);
  });

  it('a number or a word that makes no sense is refused', () => {
    expect(() => checkNumbers({ notifyAfter: -1 })).toThrow('--notify-after must be');
    for (const notify of ['{ "after": -1 }', '{ "with": "horn" }', '3']) {
      expect(() => parseConfig(`{ "SystemPrompt": "", "notify": ${notify} }`, '/x/config.json')).toThrow(
        'notify',
      );
    }
  });

  it.each([
    ['bell', 'Hello', '\u0007'],
    ['osc9', 'Hello,\nworld', '\u001b]9;llm-host: Hello, world\u0007'],
    ['osc9', '4;1;50', '\u001b]9;llm-host: 4 1 50\u0007'],
    ['osc777', 'a;b', '\u001b]777;notify;llm-host;a b\u0007'],
    ['osc777', ' \n', '\u001b]777;notify;llm-host;the turn is over\u0007'],
    ['osc9', 'x\u0007\u001b]52;c;AA==\u0007y\u001b\\z\u009c\u202e\u200b', '\u001b]9;llm-host: xyz\u0007'],
    ['osc9', '🙂'.repeat(200), `\u001b]9;llm-host: ${'🙂'.repeat(100)}\u0007`],
  ] as const)('%s, %j', (kind, reply, sequence) => {
    expect(noteSequence(kind, reply)).toBe(sequence);
  });
});

describe('the loop of a chat tells the end of a turn', () => {
  const NOTE: TurnNote = { kind: 'osc9', after: 0 };

  function start(
    turn: (prompt: string, signal: AbortSignal) => AsyncGenerator<TurnEvent>,
    note: TurnNote,
    onTerminal = true,
  ) {
    const written: string[] = [];
    const loop = new TurnLoop({
      session: { turn } as unknown as ChatSession,
      keyboard: true,
      signals: new Signals(),
      note,
      reader: {
        begin: () => undefined,
        event: () => undefined,
        end: () => undefined,
        builtin: () => undefined,
        ...(onTerminal && {
          terminal: {
            write: sequence => void written.push(sequence),
            lend: () => () => undefined,
            blockedBy: work => work(),
          },
        }),
      },
    });
    return { loop, written };
  }

  async function* answer(prompt: unknown): AsyncGenerator<TurnEvent> {
    yield { type: 'assistant', text: `to ${(prompt as { text: string }).text}`, cancelled: false };
  }

  async function* failure(): AsyncGenerator<TurnEvent> {
    yield { type: 'error', code: 'ENGINE', message: 'It broke.' };
  }

  async function* untilAborted(_prompt: unknown, signal: AbortSignal): AsyncGenerator<TurnEvent> {
    await new Promise(resolve => signal.addEventListener('abort', resolve));
    yield { type: 'assistant', text: 'half', cancelled: true };
  }

  it('of the last one in the queue', async () => {
    const { loop, written } = start(answer as never, NOTE);
    loop.submit({ text: 'one' });
    loop.submit({ text: 'two' });
    await loop.idle();
    expect(written).toEqual(['\u001b]9;llm-host: to two\u0007']);
  });

  it('that failed', async () => {
    const { loop, written } = start(failure, NOTE);
    loop.submit({ text: 'one' });
    await loop.idle();
    expect(written).toEqual(['\u001b]9;llm-host: It broke.\u0007']);
  });

  it.each([
    ['that was short', answer, { ...NOTE, after: 1000 }, true],
    ['without a terminal', answer, NOTE, false],
    ['that was cancelled', untilAborted, NOTE, true],
  ] as const)('but not of one %s', async (_what, turn, note, onTerminal) => {
    const { loop, written } = start(turn as never, note, onTerminal);
    loop.submit({ text: 'one' });
    await new Promise(resolve => setImmediate(resolve));
    loop.cancel();
    await loop.idle();
    expect(written).toEqual([]);
  });
});
