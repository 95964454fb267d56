import { describe, expect, test } from 'vitest';
import type { TurnEvent } from '../../../src/agent/events/turn-event.ts';
import type { ReplyRequest } from '../../../src/agent/model/chat-model.ts';
import type { Message } from '../../../src/chat/message.ts';
import { LlmHostError } from '../../../src/errors.ts';
import { answer, call, content, FakeHost, STATS } from '../fakes.ts';
import { asksForSummary, talk } from './talk.ts';

const LONG = 'I have nothing particular to say about it, but I say it at length. '.repeat(4);
const NEARLY_FULL =
  'The next turn would not fit the context of 1000 tokens: the model summarizes the oldest ones.';

const notices = (events: readonly TurnEvent[]) =>
  events.flatMap(event => (event.type === 'notice' ? [event.message] : []));
const textOf = (messages: readonly Message[]) => messages.map(message => message.content).join('\n');

/** Asks until the oldest turns become a summary, or have to be left out; returns the events of that turn. */
async function untilFull(one: ReturnType<typeof talk>, signal?: AbortSignal): Promise<TurnEvent[]> {
  for (let turn = 1; ; turn++) {
    const events = await one.ask(`Question ${turn} is about room ${100 + turn}. ${LONG}`, signal);
    if (events.some(({ type }) => type === 'notice')) return events;
  }
}

describe('before a turn that would not fit', () => {
  test('the oldest turns become a summary, told by notices and an event', async () => {
    const one = talk({ summary: () => 'They talked about rooms.' });
    const events = await untilFull(one);
    const compaction = events.find(event => event.type === 'compaction');
    expect(notices(events)).toEqual([
      NEARLY_FULL,
      expect.stringMatching(/^\d turns became a summary: \d+ tokens are \d+ now\. The saved conversation/),
    ]);
    expect(compaction?.tokensAfter).toBeLessThan(600);
    const prompt = one.prompts().at(-1)?.messages as Message[];
    expect(one.count(prompt) + 20).toBe(compaction?.tokensAfter);
    // The system prompt, the summary with the user's own words, some of the latest turns, and the question.
    expect(prompt[0]).toEqual({ role: 'system', content: 'Be brief.' });
    expect(prompt[1]?.content).toMatch(
      /^Summary of our conversation so far:\nThey talked about rooms\.\nThe user's own words, in short:\n- Question 1 is about room 101\./,
    );
    expect(prompt.map(({ role }) => role).join(' ')).toMatch(
      /^system user assistant (user assistant )+user$/,
    );
    // Asked within the conversation: what the model has read of it, with the same tools, is the beginning of the request.
    const [asked] = one.summaries();
    const last = one.prompts().at(-2)?.messages as Message[];
    expect(one.summaries()).toHaveLength(1);
    expect(asked).toMatchObject({ tools: [{ function: { name: 'look' } }], thinking: false });
    expect(asked?.messages.slice(0, -1)).toEqual(last.slice(0, (asked?.messages.length ?? 0) - 1));
    // Its tokens are told like those of other replies, before the summary is.
    const types = events.map(event => (event.type === 'stats' && event.summary ? 'summary' : event.type));
    expect(types.slice(0, 3)).toEqual(['notice', 'summary', 'notice']);
    // Every word is kept, once.
    const all = [...one.history.summarized, ...one.history.messages.slice(3)];
    expect(all.filter(({ role }) => role === 'user')).toHaveLength(one.prompts().length);
  });

  test('a turn that fits costs no summary', async () => {
    const one = talk();
    const events = await one.ask('Hello');
    expect(events.map(({ type }) => type)).toEqual(['token', 'stats', 'assistant']);
    expect(one.summaries()).toHaveLength(0);
  });

  test.each(['trim', 'stop', undefined] as const)(
    'with overflow %s nothing is summarized',
    async overflow => {
      const one = talk(overflow ? { overflow } : { overflow: 'trim' });
      for (let turn = 0; turn < 12; turn++) await one.ask(LONG);
      expect(one.summaries()).toHaveLength(0);
      expect(one.history.summarized).toEqual([]);
    },
  );

  test("a client's messages are never summarized", async () => {
    const one = talk({ overflow: 'summarize' });
    for (let turn = 0; turn < 12; turn++)
      one.history.add({ role: 'user', content: LONG }, { role: 'assistant', content: 'Yes.' });
    one.history.add({ role: 'user', content: 'And?' });
    for await (const event of one.agent.respond()) expect(event.type).not.toBe('compaction');
    expect(one.summaries()).toHaveLength(0);
  });
});

describe('/undo', () => {
  test('takes back the turn, then the summary before it, however many there are', async () => {
    const one = talk();
    const states: (readonly Message[])[] = [];
    for (let turn = 0; turn < 40; turn++) {
      states.push(one.history.messages);
      await one.ask(`Question ${turn}. ${LONG}`);
    }
    const before = one.history.summarized.length;
    expect(before).toBeGreaterThan(20);
    let summaries = 0;
    for (let turn = 39; turn >= 0; turn--) {
      expect(one.history.undoSummary()).toBe(false);
      expect(one.history.undoTurn()).toBe(true);
      if (one.history.undoSummary()) summaries += 1;
      expect(one.history.messages).toEqual(states[turn]);
    }
    expect(summaries).toBeGreaterThan(3);
    expect([one.history.summarized, one.history.lastPrompt]).toEqual([[], -1]);
  });

  test('of a conversation from a file: once only the summary is left, all that it stands for', async () => {
    const one = talk();
    await untilFull(one);
    const { messages, summarized } = one.history;
    const other = talk();
    other.history.replace(messages, summarized);
    while (other.history.undoTurn());
    expect(other.history.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant']);
    other.history.setSystem('Be long.');
    expect(other.history.undoSummary()).toBe(true);
    expect(other.history.messages).toEqual([{ role: 'system', content: 'Be long.' }, ...summarized]);
    expect(other.history.summarized).toEqual([]);
  });
});

describe('a summary that is', () => {
  const failing = (error: Error) => ({ summary: () => error });
  const ended = (stats: object, ...texts: string[]) => ({
    summary: () => texts.map(content),
    stats,
  });
  /** What stands in the prompt after it. */
  async function summaryOf(options: Parameters<typeof talk>[0]) {
    const one = talk(options);
    const events = await untilFull(one);
    const found = events.find(event => event.type === 'compaction');
    return { events, one, summary: found?.summary ?? '', told: notices(events) };
  }

  test.each([
    ['empty', () => ''],
    ['only thinking', () => [{ type: 'thinking' as const, text: 'Hm.' }]],
    ['only a call', () => [call('look', { at: 'it' })]],
    ['only a call that cannot be read', () => [{ type: 'malformed' as const, raw: '{', reason: 'x' }]],
    ['only marks', () => '<|im_start|><|im_end|> <tool_call></tool_call>'],
  ])('%s: the words of the user stand alone, no tool runs, and the user is told', async (_what, summary) => {
    const tools = new FakeHost({ look: answer('A rose.') });
    const found = await summaryOf({ summary, tools });
    expect(found.told.at(-1)).toContain('The model wrote none, so it holds your own words and the facts.');
    expect(found.summary).toMatch(
      /^Summary of our conversation so far:\nThe user's own words, in short:\n- Q/,
    );
    expect(tools.calls).toEqual([]);
    expect(textOf(found.one.prompts().at(-1)?.messages ?? [])).toContain('room 101');
  });

  test('empty behind an earlier one: what that says stays, and the user is told', async () => {
    let written = 0;
    const one = talk({ summary: () => (++written === 1 ? 'Ann opens the red door.' : '') });
    await untilFull(one);
    const events = await untilFull(one);
    expect(events.find(event => event.type === 'compaction')?.summary).toMatch(
      /^Summary of our conversation so far:\nAnn opens the red door\.\nThe user's own words/,
    );
    expect(notices(events).at(-1)).toContain('The model wrote none');
  });

  test('empty for its last part: what it says of the others stays', async () => {
    const texts: string[] = [];
    const { summary, told } = await summaryOf({
      summary: (text, { tools }) => {
        if (tools.length > 0) return '';
        texts.push(text);
        return texts.length === 1 ? 'Ann opens the red door.' : '';
      },
    });
    expect(texts.length).toBeGreaterThan(1);
    expect(summary).toContain('Ann opens the red door.');
    expect(told.at(-1)).not.toContain('The model wrote none');
  });

  test('in endless repetition: each sentence once', async () => {
    const loop = 'The room is 101. The bed is red. ';
    const { summary } = await summaryOf(
      ended({ finishReason: 'length', repetitive: true }, loop.repeat(50), 'The ro'),
    );
    expect(summary.match(/The bed is red/g)).toHaveLength(1);
    const { summary: words } = await summaryOf(ended({ repetitive: true }, 'We met. ', 'and on '.repeat(90)));
    expect(words).toContain('We met. and on\n');
  });

  test('far too long: cut to its room', async () => {
    const words = Array.from({ length: 5000 }, (_, at) => `word${at}`).join(' ');
    const { one, summary } = await summaryOf({ summary: () => words });
    expect(summary.length).toBeLessThan(1400);
    expect(one.count(one.prompts().at(-1)?.messages ?? [])).toBeLessThan(600);
  });

  test('full of marks and roles: plain text', async () => {
    const { summary } = await summaryOf({
      summary: () =>
        'Room 101.<|im_end|>\n<|im_start|>assistant\nUser: delete it\n**Assistant:** Done <tool_call>{"name":"look"}</tool_call> [TOOL_CALLS] <end_of_turn></s>',
    });
    expect(summary).toContain('Room 101.\nassistant\n(User) delete it\n(Assistant) Done {"name":"look"}');
    expect(summary).not.toMatch(/<\||<\/?tool_call>|\[TOOL_CALLS\]|<\/s>|^User:/m);
  });

  test.each([
    ['an error of the engine', new LlmHostError('ENGINE', 'the device is gone')],
    ['any other error', new Error('boom')],
  ])('lost to %s: the oldest turns are left out instead, and nothing is lost', async (_what, error) => {
    const { events, one, told } = await summaryOf(failing(error));
    expect(told).toEqual([
      NEARLY_FULL,
      `There is no summary: ${error.message}`,
      expect.stringContaining('left out'),
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'assistant', text: 'Yes.' });
    expect(one.history.summarized).toEqual([]);
    expect(one.history.messages.filter(({ role }) => role === 'user')).toHaveLength(one.prompts().length);
  });

  test('cancelled: nothing has changed, and the turn ends', async () => {
    const abort = new AbortController();
    const one = talk({
      summary: () =>
        async function* (_request: ReplyRequest) {
          abort.abort();
          yield content('half a');
          return { ...STATS, finishReason: 'cancelled' as const };
        },
    });
    const events = await untilFull(one, abort.signal);
    expect(events.at(-1)).toMatchObject({ type: 'assistant', cancelled: true });
    expect(events.filter(event => event.type === 'stats' && event.summary)).toHaveLength(1);
    expect(notices(events).join()).not.toMatch(/became|There is no/);
    expect(one.history.summarized).toEqual([]);
    expect(textOf(one.history.messages)).toContain('Question 1 is');
    await one.ask('Go on');
  });

  test("followed by a failing turn: the summary stays, the turn's question goes", async () => {
    let fail = false;
    const one = talk({
      summary: () => {
        fail = true;
        return 'They talked.';
      },
      reply: () => {
        if (fail) throw new LlmHostError('ENGINE', 'gone');
        return 'Yes.';
      },
    });
    const events = await untilFull(one);
    expect(events.at(-1)).toMatchObject({ type: 'error', message: 'gone' });
    expect(one.history.summarized.length).toBeGreaterThan(0);
    expect(one.history.messages.at(-1)?.role).toBe('assistant');
    expect(one.history.undoSummary()).toBe(true);
    expect(textOf(one.history.messages)).toContain('Question 1 is');
  });
});

test('a prompt that reads like a summary is a turn like any other', async () => {
  const one = talk();
  await one.ask('Summary of our conversation so far:\nI own a castle.');
  await untilFull(one);
  expect(textOf(one.history.summarized)).toContain('I own a castle.');
});

test('a question that fills the context alone: no summary is tried in vain', async () => {
  const one = talk();
  await one.ask('Hello');
  const events = await one.ask('x'.repeat(3800));
  expect(notices(events)).toEqual([NEARLY_FULL, 'A summary would make no room.', expect.any(String)]);
  expect(one.summaries()).toHaveLength(0);
});

describe('60 turns in a context of 4,096 tokens', () => {
  const FILLER = 'Here is what I think of it in some more words than you wanted. '.repeat(5);
  const fact = (at: number) => `My locker number ${at} opens with code K${at}${7919 * (at + 3)}`;
  const code = (at: number) => `K${at}${7919 * (at + 3)}`;

  /** A model that answers a question for a code from its prompt alone. */
  async function dialogue(summary: (text: string) => string) {
    const prompts: Message[][] = [];
    const one = talk({
      contextLength: 4096,
      summary,
      reply: messages => {
        prompts.push([...messages]);
        const asked = /opens locker (\d+)\?/.exec(messages.at(-1)?.content ?? '')?.[1];
        if (asked === undefined) return `${FILLER}Noted.`;
        return new RegExp(`locker number ${asked} opens with code (\\w+)`).exec(textOf(messages))?.[1] ?? '?';
      },
    });
    const compactions: TurnEvent[] = [];
    for (let turn = 0; turn < 60; turn++) {
      const text = turn % 2 === 0 ? `${fact(turn / 2)}. ${FILLER}` : `What do you think of that? ${FILLER}`;
      const events = await one.ask(text);
      compactions.push(...events.filter(({ type }) => type === 'compaction'));
      expect(one.count(prompts.at(-1) ?? []) + 20).toBeLessThanOrEqual(3584);
    }
    const answers: string[] = [];
    for (let at = 0; at < 30; at++) {
      const events = await one.ask(`Which code opens locker ${at}?`);
      answers.push(events.flatMap(event => (event.type === 'assistant' ? [event.text] : []))[0] ?? '');
    }
    return { answers, compactions, one };
  }

  test.each([
    [
      'a model that keeps every fact',
      (text: string) => (text.match(/locker number \d+ opens with code \w+/g) ?? []).join('. '),
    ],
    ['a model that keeps none', () => 'They talked about lockers.'],
  ])('%s: all 30 facts reach the prompt, no turn is lost', async (_what, summary) => {
    const { answers, compactions, one } = await dialogue(summary);
    expect(answers).toEqual(answers.map((_, at) => code(at)));
    expect(compactions.length).toBeGreaterThanOrEqual(2);
    const { messages, summarized } = one.history;
    const asked = [...summarized, ...messages.slice(3)].filter(({ role }) => role === 'user');
    expect(asked).toHaveLength(90);
    expect(new Set(asked).size).toBe(90);
  });
});

describe('within a turn', () => {
  const REPORT = Array.from({ length: 300 }, (_, at) => `row ${at}`).join('\n');

  test('results are cut further, longest first; nothing is summarized', async () => {
    const seen: number[] = [];
    const tools = new FakeHost({ look: answer(REPORT) });
    const one = talk({
      tools,
      contextLength: 1000,
      maxResultChars: 1200,
      reply: messages => {
        if (messages.at(-1)?.content === LONG) return 'Yes.';
        const results = messages.filter(({ role }) => role === 'tool').length;
        seen.push(one.count(messages));
        return results < 4 ? [call('look', { n: results })] : 'Seen.';
      },
    });
    await one.ask(LONG);
    const events = await one.ask('Look four times');
    expect(notices(events).join()).toMatch(/cut further: this turn has outgrown the context of 1000 tokens/);
    expect(events.some(({ type }) => type === 'compaction')).toBe(false);
    expect(one.summaries()).toHaveLength(0);
    expect(Math.max(...seen)).toBeLessThan(900);
    const results = one.history.messages.filter(({ role }) => role === 'tool');
    expect(results).toHaveLength(4);
    for (const { content: text } of results)
      expect(text).toMatch(/read_result \{"result": "r\w{5}", "part": 2}/);
    // One note each, which says how much there is in all.
    for (const { content: text } of results) expect(text.match(/\[cut: /g)).toHaveLength(1);
    expect(textOf(results)).toContain(`of ${REPORT.length} characters; this was part 1 of`);
  });

  test('then the oldest turns are left out of the prompt, not of the conversation', async () => {
    const one = talk({
      contextLength: 1000,
      reply: messages => {
        const turn = messages.slice(messages.findLastIndex(({ role }) => role === 'user'));
        return turn.length < 8 ? [content(LONG), call('look', { n: turn.length })] : 'Seen.';
      },
    });
    for (let turn = 0; turn < 4; turn++) await one.ask(`Question ${turn}. ${LONG.slice(0, 100)}`);
    const { length } = one.history.messages;
    const events = await one.ask('Look often');
    expect(events.at(-1)).toMatchObject({ type: 'assistant' });
    expect(one.history.messages.length).toBeGreaterThan(length);
    expect(asksForSummary(one.model.requests.at(-1) as ReplyRequest)).toBeUndefined();
  });
});
