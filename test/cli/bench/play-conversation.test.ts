import { describe, expect, test } from 'vitest';
import type { Answer } from '../../../src/bench/tools/answer.ts';
import type { ConversationCategory } from '../../../src/bench/tools/bfcl/conversation-categories.ts';
import {
  ConversationScorer,
  scoredConversations,
} from '../../../src/bench/tools/bfcl/conversation-scorer.ts';
import { readConversations } from '../../../src/bench/tools/bfcl/read-conversations.ts';
import type { Services } from '../../../src/bench/tools/bfcl/services.ts';
import type { ToolCase } from '../../../src/bench/tools/cases/tool-case.ts';
import { playConversation } from '../../../src/cli/bench/ask/play-conversation.ts';
import { processesLeft, processesWith } from '../../e2e/program.ts';
import { bfclPlace } from '../../fixtures/bfcl-place.ts';
import { callText, type Script, scriptedModel } from '../../serve/scripted.ts';

/** Says these replies one after another, then always the last. */
function replies(...all: readonly string[]): Script {
  let next = 0;
  return () => all[Math.min(next++, all.length - 1)] as string;
}

interface Played {
  readonly answer: Answer;
  readonly prompts: readonly string[];
  readonly services: Services;
}

/** Plays the conversation with that number, real servers and all, and scores it. */
async function play(
  [category, index]: readonly [ConversationCategory, number],
  script: Script,
  { signal = new AbortController().signal, ...given }: Partial<Services> & { signal?: AbortSignal } = {},
): Promise<Played> {
  const services = { ...bfclPlace(), ...given };
  const one = readConversations(services.folder, category)[index] as ToolCase;
  const prompts: string[] = [];
  const { chat } = scriptedModel('scripted', (prompt, request) => {
    prompts.push(prompt);
    return script(prompt, request);
  });
  const asking = {
    model: chat,
    systemMessage: 'Be brief.',
    sampling: { temperature: 0, maxTokens: 400 },
    signal,
    services,
  };
  const played = await playConversation(one, 'open', asking);
  expect(await processesLeft(services.folder)).toEqual([]);
  const [answer] = await scoredConversations([played], new ConversationScorer(services), signal);
  return { answer: answer as Answer, prompts, services };
}

const RIGHT = [
  callText('set_lamp', { room: 'hall' }) + callText('lamps_on', {}),
  'There is light.',
  callText('set_lamp', { room: 'hall', percent: 40 }),
  callText('note', { text: 'Lamp (hall): 40' }),
  'Done.',
];

describe('a conversation with real servers', { timeout: 120_000 }, () => {
  test('is right when the right calls are made', async () => {
    const { answer, prompts } = await play(['multi_turn_base', 0], replies(...RIGHT));
    expect(answer).toMatchObject({ id: 'multi_turn_base_0', pass: 'open', replies: 1, text: 'Done.' });
    expect(answer.fault).toBeUndefined();
    expect(answer.turns?.map(turn => turn.map(({ name }) => name))).toEqual([
      ['set_lamp', 'lamps_on'],
      ['set_lamp', 'note'],
    ]);
    expect(answer.calls).toEqual(answer.turns?.flat());
    // The model sees what the services answer, and what has been said before.
    expect(prompts).toHaveLength(5);
    expect(prompts[1]).toContain("['attic', 'hall']");
    expect(prompts[4]).toContain('Light in the hall, please.');
    expect(answer.generatedTokens).toBe(RIGHT.join('').length);
  });

  test('is wrong when a call is left out, and tells what took a repair', async () => {
    const wrong = callText('note', { words: 'x' });
    const script = replies('No.', wrong, ...RIGHT.slice(3));
    const { answer } = await play(['multi_turn_base', 0], script);
    expect(answer).toMatchObject({ fault: 'no call', replies: 2 });
    expect(answer.turns).toEqual([[], [{ name: 'note', arguments: { text: 'Lamp (hall): 40' } }]]);
  });

  test('withholds a tool until its turn', async () => {
    const note = callText('note', { text: 'moss' });
    const { answer, prompts } = await play(['multi_turn_miss_func', 0], replies('I cannot.', note, 'Noted.'));
    expect(prompts[0]).toContain('\nread_notes(');
    expect(prompts[0]).not.toContain('\nnote(');
    expect(prompts[1]).toContain('\nnote(');
    expect(prompts[1]).toContain('I have updated some more functions');
    expect(answer.turns).toEqual([[], [{ name: 'note', arguments: { text: 'moss' } }]]);
    expect(answer.fault).toBeUndefined();
  });

  test('does not run a withheld tool that the model calls anyway', async () => {
    const note = callText('note', { text: 'moss' });
    const { answer } = await play(['multi_turn_miss_func', 0], replies(note, 'No.', note, 'Noted.'));
    expect(answer.turns?.map(turn => turn.length)).toEqual([0, 1]);
    expect(answer.fault).toBeUndefined();
  });

  test('ends with the turn that has too many steps', async () => {
    const look = callText('lamps_on', {});
    const { answer, prompts } = await play(['multi_turn_base', 0], replies(look));
    expect(answer.turns?.map(turn => turn.length)).toEqual([21]);
    expect(answer.fault).toBe('too many steps');
    expect(prompts.length).toBeLessThanOrEqual(22);
  });

  test('is judged by what it did when the last turn has too many steps', async () => {
    const { answer } = await play(['multi_turn_base', 1], replies(callText('lamps_on', {})));
    expect(answer.turns?.map(turn => turn.length)).toEqual([21]);
    expect(answer.fault).toBeUndefined();
  });

  test('may have twenty steps', async () => {
    const steps = Array.from({ length: 20 }, () => callText('lamps_on', {}));
    const { answer } = await play(['multi_turn_base', 0], replies(...steps, 'So.', ...RIGHT.slice(2)));
    expect(answer.turns?.map(turn => turn.length)).toEqual([20, 2]);
  });

  test.each([
    ['ends during a call', callText('crash', {}), 'server failed'],
    ['gives no answer in time', callText('wait', { seconds: 600 }), 'call timed out'],
  ])('is wrong when a server %s', async (_, call, fault) => {
    const limit = { callLimitMs: 2000 };
    const { answer, prompts } = await play(['multi_turn_base', 0], replies(call, 'On.'), limit);
    expect(answer).toMatchObject({ fault, turns: [[{}]] });
    expect(prompts).toHaveLength(1);
  });

  test('is wrong when a server is killed between two calls', async () => {
    const services = bfclPlace();
    let replied = 0;
    const { answer } = await play(
      ['multi_turn_base', 0],
      async function* () {
        replied += 1;
        if (replied === 2) {
          const [server] = processesWith(`serve ${services.folder} multi_turn_base_0 NotesAPI`);
          process.kill(Number.parseInt(server as string, 10), 'SIGKILL');
          await new Promise(resolve => setTimeout(resolve, 1000));
        }
        yield replied === 1 ? callText('lamps_on', {}) : 'So.';
      },
      services,
    );
    expect(answer.fault).toBe('server failed');
    expect(replied).toBe(2);
  });

  test('is not played when a server cannot start', async () => {
    const script = replies('Hello.');
    await expect(play(['multi_turn_base', 2], script)).rejects.toMatchObject({
      code: 'MCP_SERVER',
      message: expect.stringContaining('no_such_package_of_python'),
    });
  });

  test('ends at an abort, with its servers', async () => {
    const stop = new AbortController();
    const script: Script = async function* () {
      setTimeout(() => stop.abort(), 50);
      for (;;) {
        await new Promise(resolve => setTimeout(resolve, 1));
        yield 'on ';
      }
    };
    const { answer } = await play(['multi_turn_base', 0], script, { signal: stop.signal });
    expect(answer.turns).toEqual([[]]);
  });

  test('tells why it does not fit the context', async () => {
    const services = bfclPlace();
    const [one] = readConversations(services.folder, 'multi_turn_base');
    const { chat } = scriptedModel('scripted', replies('So.'), { contextLength: 40 });
    const asking = { model: chat, systemMessage: '', sampling: { temperature: 0, maxTokens: 100 }, services };
    const signal = new AbortController().signal;
    expect(await playConversation(one as ToolCase, 'held', { ...asking, signal })).toMatchObject({
      pass: 'held',
      error: 'CONTEXT_FULL',
      turns: [[]],
    });
  });
});
