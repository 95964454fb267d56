import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Answer } from '../../../../src/bench/tools/answer.ts';
import {
  ConversationScorer,
  scoredConversations,
} from '../../../../src/bench/tools/bfcl/conversation-scorer.ts';
import type { MadeCall } from '../../../../src/bench/tools/cases/tool-case.ts';
import { bfclPlace } from '../../../fixtures/bfcl-place.ts';

function scorerOf(limitMs?: number) {
  const services = bfclPlace();
  const scorer = new ConversationScorer(services, limitMs);
  onTestFinished(() => scorer.close());
  return { scorer, services };
}

const made = (name: string, args: Record<string, unknown> = {}): MadeCall => ({ name, arguments: args });
const on = made('set_lamp', { room: 'hall' });
const look = made('lamps_on');
const dim = made('set_lamp', { room: 'hall', percent: 40 });
const note = made('note', { text: 'Lamp (hall): 40' });
const id = 'multi_turn_base_0';
const answer = (turns: readonly (readonly MadeCall[])[], more: Partial<Answer> = {}): Answer => ({
  id,
  pass: 'open',
  calls: turns.flat(),
  turns,
  replies: 1,
  text: '',
  promptTokens: 1,
  firstTokens: 1,
  generatedTokens: 1,
  firstSeconds: 1,
  seconds: 1,
  ...more,
});

describe('a conversation', { timeout: 60_000 }, () => {
  const TABLE: readonly [string, readonly (readonly MadeCall[])[], string | undefined][] = [
    [
      'of the right calls is right',
      [
        [on, look],
        [dim, note],
      ],
      undefined,
    ],
    [
      'may have them in another order',
      [
        [on, look],
        [note, dim],
      ],
      undefined,
    ],
    [
      'may look around',
      [
        [made('read_notes'), look, on, look],
        [dim, note],
      ],
      undefined,
    ],
    [
      'may try what fails',
      [
        [made('set_lamp', { room: 'cellar' }), made('fly'), on, look],
        [dim, note],
      ],
      undefined,
    ],
    [
      'may leave out what is the default',
      [
        [made('set_lamp', { room: 'hall', percent: 100 }), look],
        [dim, note],
      ],
      undefined,
    ],
    [
      'is judged after each turn',
      [
        [on, look, dim],
        [on, dim, note],
      ],
      'wrong state',
    ],
    ['has to call something in each turn', [[on, look], []], 'no call'],
    ['has to do it in its turn', [[on, look, dim, note], [look]], 'wrong state'],
    ['has to leave the right state', [[on, look], [dim]], 'wrong state'],
    [
      'may not do more',
      [
        [on, look],
        [dim, note, note],
      ],
      'wrong state',
    ],
    ['has to see the right results', [[on], [dim, note]], 'missing result'],
    [
      'has to have values of the right kind',
      [
        [on, look],
        [made('set_lamp', { room: 'hall', percent: '40' }), note],
      ],
      'wrong state',
    ],
    ['broken off before its last turn is wrong', [[on, look]], 'too many steps'],
    // As in BFCL, which drops spaces before brackets, and names of functions in texts become other ones.
    [
      'may lack spaces before brackets in texts',
      [
        [on, look],
        [dim, made('note', { text: 'Lamp(hall): 40' })],
      ],
      undefined,
    ],
    [
      'may name arguments that are no names',
      [
        [on, look, made('note', { 'a b': 1, class: 2 })],
        [dim, note],
      ],
      undefined,
    ],
    [
      'cannot run what looks like code',
      [
        [on, look, made("__import__('os').abort")],
        [dim, note],
      ],
      undefined,
    ],
    [
      'cannot hide code in the name of an argument',
      [
        [on, look, made('note', { "text=__import__('os').abort(), x": 1 })],
        [dim, note],
      ],
      undefined,
    ],
    [
      'may have a result that is no JSON',
      [
        [made('lamp_object'), on, look],
        [dim, note],
      ],
      undefined,
    ],
  ];
  test.each(TABLE)('%s', async (_, turns, fault) => {
    const { scorer } = scorerOf();
    expect(await scorer.fault({ id, turns })).toBe(fault);
  });

  test('leaves no compiled files beside the classes', async () => {
    const { scorer, services } = scorerOf();
    await scorer.fault({
      id,
      turns: [
        [on, look],
        [dim, note],
      ],
    });
    expect(readdirSync(join(services.folder, 'classes')).sort()).toEqual([
      'lamp.py',
      'needy.py',
      'notes.py',
      'rooms.py',
    ]);
  });

  test.each([
    ['ends its process', [[made('crash')]]],
    ['takes too long', [[made('wait', { seconds: 60 })]]],
  ])('that %s is not scored; the next one is', async (_, turns) => {
    const { scorer } = scorerOf(4000);
    expect(await scorer.fault({ id: 'multi_turn_base_1', turns })).toBe('not scored');
    expect(await scorer.fault({ id: 'multi_turn_base_1', turns: [[look]] })).toBeUndefined();
  });

  test('without Python is not scored', async () => {
    const scorer = new ConversationScorer({ ...bfclPlace(), env: { PYTHON: '/no/python3' } });
    expect(await scorer.fault({ id, turns: [] })).toBe('not scored');
    expect(await scorer.fault({ id, turns: [] })).toBe('not scored');
  });

  test('is scored among other answers; one with a fault or an error keeps it', async () => {
    const { scorer } = scorerOf();
    const { turns: _, ...single } = answer([]);
    const answers = [
      answer([
        [on, look],
        [dim, note],
      ]),
      answer([[on, look], [dim]]),
      answer([[on]], { fault: 'server failed' }),
      answer([[on]], { error: 'CONTEXT_FULL' }),
      single,
    ];
    const found = await scoredConversations(answers, scorer, new AbortController().signal);
    expect(found.map(({ fault }) => fault)).toEqual([
      undefined,
      'wrong state',
      'server failed',
      undefined,
      undefined,
    ]);
    expect(found.slice(2)).toEqual(answers.slice(2));
  });

  test('under way at an abort ends at once', async () => {
    const { scorer } = scorerOf();
    const stop = new AbortController();
    const endless = answer([[made('wait', { seconds: 60 })]], { id: 'multi_turn_base_1' });
    setTimeout(() => stop.abort(), 300);
    const started = performance.now();
    const found = await scoredConversations([endless, endless], scorer, stop.signal);
    expect(performance.now() - started).toBeLessThan(30_000);
    // Nothing was found out about it.
    expect(found).toEqual([endless, endless]);
  });

  test('after the process of the one before has ended gets a process of its own', async () => {
    const services = bfclPlace();
    const once = join(services.folder, 'once');
    writeFileSync(once, `#!/bin/sh\nread line\necho '{"fault": null}'\n`);
    chmodSync(once, 0o755);
    const scorer = new ConversationScorer({ ...services, env: { PYTHON: once } }, 5000);
    onTestFinished(() => scorer.close());
    expect(await scorer.fault({ id, turns: [] })).toBeUndefined();
    await new Promise(resolve => setTimeout(resolve, 1500));
    expect(await scorer.fault({ id, turns: [] })).toBeUndefined();
  });
});
