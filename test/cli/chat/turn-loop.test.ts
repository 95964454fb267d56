import { describe, expect, it } from 'vitest';
import type { TurnEvent } from '../../../src/agent/events/turn-event.ts';
import { TurnLoop } from '../../../src/cli/chat/turn-loop.ts';
import { Signals } from '../../../src/cli/process/signals.ts';
import type { ChatSession } from '../../../src/cli/session/chat-session.ts';

/** A loop over a session whose turn is `turn`, and everything its reader was shown. */
function start(
  turn: (prompt: string, signal: AbortSignal) => AsyncGenerator<TurnEvent>,
  { keyboard = true } = {},
) {
  const shown: string[] = [];
  const session = { turn } as unknown as ChatSession;
  const loop = new TurnLoop({
    session,
    keyboard,
    signals: new Signals(),
    reader: {
      begin: prompt => void shown.push(`begin ${prompt}`),
      event: event => void shown.push(event.type),
      end: error => void shown.push(error === undefined ? 'end' : `end: ${(error as Error).message}`),
      builtin: typed => void shown.push(`builtin ${typed}`),
      queued: texts => void shown.push(`queued [${texts.join()}]`),
      busy: busy => void shown.push(busy ? 'busy' : 'idle'),
    },
  });
  return { loop, shown };
}

async function* answer(): AsyncGenerator<TurnEvent> {
  yield { type: 'notice', message: 'answered' };
}

async function* untilAborted(_prompt: string, signal: AbortSignal): AsyncGenerator<TurnEvent> {
  await new Promise(resolve => signal.addEventListener('abort', resolve));
  yield { type: 'notice', message: 'cancelled' };
}

/** Lets everything that is ready run. */
const settle = () => new Promise(resolve => setImmediate(resolve));

describe('inputs', () => {
  it('are answered one at a time, in order', async () => {
    const { loop, shown } = start(answer);
    loop.submit({ text: 'one' });
    loop.submit({ text: 'two' });
    await loop.idle();
    expect(shown).toEqual([
      ...['queued [one]', 'busy', 'queued []', 'queued [two]', 'begin one', 'notice', 'end'],
      ...['queued []', 'begin two', 'notice', 'end', 'idle'],
    ]);
  });

  it('submitted the moment the loop falls idle are answered too', async () => {
    const { loop, shown } = start(answer);
    loop.submit({ text: 'one' });
    await loop.idle().then(() => loop.submit({ text: 'two' }));
    await loop.idle();
    expect(shown).toContain('begin two');
    expect(shown.at(-1)).toBe('idle');
  });

  it('run a built-in command, unless they are prompts only', async () => {
    const { loop, shown } = start(answer);
    const code = loop.run(async () => {
      loop.submit({ text: '/quit', promptOnly: true });
      loop.submit({ text: '/quit' });
      loop.submit({ text: 'never answered' });
      await loop.idle();
    });
    expect(await code).toBe(0);
    expect(loop.ended).toBe(true);
    expect(shown.filter(line => /^(begin|builtin)/.test(line))).toEqual(['begin /quit', 'builtin /quit']);
  });
});

describe('Ctrl+C', () => {
  it('ends an idle chat', async () => {
    const { loop } = start(answer);
    const code = loop.run();
    loop.interrupt();
    expect(await code).toBe(0);
  });

  it('at a keyboard cancels the turn, and ends the chat the second time', async () => {
    const { loop, shown } = start(untilAborted);
    const code = loop.run();
    loop.submit({ text: 'one' });
    await settle();
    loop.interrupt();
    await settle();
    expect(loop.ended).toBe(false);
    expect(shown.slice(-3)).toEqual(['notice', 'end', 'idle']);
    loop.submit({ text: 'two' });
    await settle();
    loop.interrupt();
    expect(await code).toBe(0);
  });

  it('without a keyboard ends a busy chat with 130', async () => {
    const { loop } = start(untilAborted, { keyboard: false });
    const code = loop.run();
    loop.submit({ text: 'one' });
    await settle();
    loop.interrupt();
    expect(await code).toBe(130);
  });

  it('cancels a single prompt', async () => {
    const signals = new Signals();
    const loop = new TurnLoop({
      signals,
      keyboard: false,
      session: { turn: untilAborted } as unknown as ChatSession,
      reader: { begin: () => {}, event: () => {}, end: () => {}, builtin: () => {} },
    });
    const done = loop.once({ text: 'one' });
    await settle();
    loop.cancel();
    expect(await done).toBe('cancelled');
  });
});

describe('a turn', () => {
  it('that throws ends the chat with its error, which the reader is shown', async () => {
    const { loop, shown } = start(async function* () {
      yield { type: 'notice', message: 'first' };
      throw new Error('broken');
    });
    const code = loop.run();
    loop.submit({ text: 'one' });
    loop.submit({ text: 'two' });
    await expect(code).rejects.toThrow('broken');
    expect(shown.at(-1)).toBe('end: broken');
  });

  it('that ends in an error event fails a single prompt', async () => {
    const { loop } = start(async function* () {
      yield { type: 'error', code: 'ENGINE', message: 'no' };
    });
    expect(await loop.once({ text: 'one' })).toBe('failed');
  });
});
