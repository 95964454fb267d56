import { describe, expect, test } from 'vitest';
import { KeptResults, partCount, partOf } from '../../../src/agent/results/kept-results.ts';
import { LongResults } from '../../../src/agent/results/long-results.ts';
import { resultLimit } from '../../../src/agent/results/result-limit.ts';
import { Conversation } from '../../../src/agent/turn/conversation.ts';
import { createHistory } from '../../../src/chat/history.ts';
import { answer, call, collect, content, FakeHost, FakeModel, type Step } from '../fakes.ts';

const OPTIONS = { timeoutMs: 1000 };
const LINES = Array.from({ length: 400 }, (_, at) => `line ${at + 1} of the report`).join('\n');

/** Reads on in what a tool `read` returned. */
function reading(text: string, limit = 1000, own: Readonly<Record<string, string>> = {}) {
  const host = new FakeHost(
    Object.fromEntries(Object.entries({ read: 'x', ...own }).map(([name, said]) => [name, answer(said)])),
  );
  const results = new LongResults(host);
  const shown = results.cut('read', text, limit);
  const [, name = '', reference = ''] = /(\w+) \{"result": "(\w+)"/.exec(shown) ?? [];
  const read = (args: Readonly<Record<string, unknown>>) =>
    results.joined().call(name, { result: reference, ...args }, OPTIONS);
  return { host, name, read, reference, results, shown };
}

describe('a result that is too long', () => {
  test('is cut with a note by which all of it can be read, part by part', async () => {
    const { read, shown } = reading(LINES);
    expect(shown).toMatch(
      /^line 1 of[\s\S]+\n\.\.\. \[cut: 1000 of 9091 characters; this was part 1 of 10\. read_result \{"result": "r[0-9a-f]{5}", "part": 2\} reads on, read_result \{"result": "r[0-9a-f]{5}", "search": "words"\} finds words\]$/,
    );
    const parts = [shown.slice(0, 1000)];
    for (let part = 2; part <= 10; part++) {
      const { text, isError } = await read({ part });
      expect(isError).toBe(false);
      expect(text).toContain(part < 10 ? `[part ${part} of 10]` : '[part 10 of 10, the last]');
      parts.push(text.replace(/\n\.\.\. \[part.*$/, ''));
    }
    expect(parts.join('')).toBe(LINES);
    await expect(read({})).resolves.toEqual(await read({ part: 2 }));
  });

  test('is searched, with the text around each place and where to search on', async () => {
    const { read, reference } = reading(LINES);
    const found = await read({ search: 'LINE  250   of' });
    expect(found.text).toMatch(/^part 6: \.\.\.[\s\S]*line 250 of the report[\s\S]*\.\.\.$/);
    // Line 7 and lines 70 to 79: these in one piece.
    expect((await read({ search: 'line 7' })).text.match(/^part/gm)).toHaveLength(2);
    const first = await read({ search: '0 of' });
    expect(first.text.length).toBeLessThan(1300);
    const on = `{"result": "${reference}", "search": "0 of", "part": 2} searches from part 2 of 10 on]`;
    expect(first.text).toContain(on);
    const dense = await read({ search: 'report', part: 10 });
    expect(dense.text).toMatch(/^part 9: [\s\S]*line 400 of the report$/);
    expect((await read({ search: 'nowhere' })).text).toBe(`"nowhere" does not occur in result ${reference}.`);
    expect((await read({ search: 'line 1 of', part: 3 })).text).toContain('from part 3 on');
  });

  test.each(['.*', '(a+)+$', '[', '\\', '^line', 'a-b', '$&'])(
    'the words %s are only words',
    async search => {
      const { read } = reading(`${'a'.repeat(3000)} ${search} end`);
      expect((await read({ search })).text).toContain(`${search} end`);
    },
  );

  test.each([
    [{ result: 'r00000' }, 'There is no kept result "r00000"'],
    [{ result: 7 }, 'There is no kept result "7"'],
    [{ result: '../../etc/passwd' }, 'There is no kept result "../../etc/passwd"'],
    [{ result: '__proto__' }, 'There is no kept result'],
    [{ result: 'x'.repeat(1e6) }, 'There is no kept result'],
    [{ part: 11 }, 'has the parts 1 to 10; there is no part 11'],
    [{ part: 0 }, 'there is no part 0'],
    [{ part: -1 }, 'there is no part -1'],
    [{ part: 1.5 }, 'there is no part 1.5'],
    [{ part: 1e308 }, 'there is no part 1e+308'],
    [{ part: Number.NaN }, 'there is no part NaN'],
    [{ part: 'two' }, 'there is no part two'],
    [{ search: 'line', part: 99 }, 'there is no part 99'],
  ])('%j is an error in words', async (args, said) => {
    const { read, reference } = reading(LINES);
    const { text, isError } = await read(args);
    expect({ text, isError }).toMatchObject({ text: expect.stringContaining(said), isError: true });
    expect(text.length).toBeLessThan(400);
    if (said.includes('kept')) expect(text).toContain(`Kept are ${reference} (read).`);
  });

  test('a character is never split', async () => {
    const { read, shown } = reading(`a${'😀'.repeat(2000)}`);
    expect(shown.isWellFormed()).toBe(true);
    for (const part of [2, 3, 4, 5]) expect((await read({ part })).text.isWellFormed()).toBe(true);
  });

  test('a tool of a server with the same name keeps it', async () => {
    const { host, name, read, results } = reading(LINES, 1000, { read_result: 'theirs' });
    expect(name).toBe('llm_host_read_result');
    expect((await read({ part: 2 })).text).toContain('[part 2 of 10]');
    await expect(results.joined().call('read_result', {}, OPTIONS)).resolves.toMatchObject({
      text: 'theirs',
    });
    expect(host.calls).toHaveLength(1);
    expect(results.tools().map(tool => tool.definition.function.name)).toEqual([
      'read',
      'read_result',
      'llm_host_read_result',
    ]);
  });

  test('its own answers are not kept again', async () => {
    const { name, read, results } = reading(LINES);
    const { text } = await read({ part: 2 });
    expect(results.cut(name, text, 1000)).toBe(text);
    expect(results.cut(name, 'y'.repeat(5000), 1000)).toMatch(/^y{1300}\n\.\.\. \[cut: 1300 of 5000 char/);
  });
});

describe('a part that becomes shorter', () => {
  /** What follows, part by part, by the notes alone. */
  async function following(found: ReturnType<typeof reading>, shown: string): Promise<string> {
    let [text, note] = shown.split('\n... [') as [string, string];
    for (let step = 0; step < 50; step++) {
      const [, args] = /\w+ (\{"result": "\w+", "part": \d+\}) reads on/.exec(note) ?? [];
      const { part, result } = JSON.parse(args ?? '{}');
      const [, of, number] = /part (\d+) of (\d+)/.exec(note) ?? [];
      if (of === number) return text;
      const next = await found.read({ result: result ?? found.reference, part: part ?? Number(of) + 1 });
      const [more, below] = next.text.split('\n... [') as [string, string];
      [text, note] = [text + more, below];
    }
    return text;
  }

  test.each([LINES, `a${'😀'.repeat(4000)}`, 'x'.repeat(9091)])(
    'can still be read to its end, and again when it is cut again',
    async whole => {
      for (const limits of [[400], [700, 400]]) {
        const found = reading(whole);
        let { text } = await found.read({ part: 5 });
        for (const limit of limits) text = found.results.shrink(found.name, text, limit);
        const last = limits.at(-1) as number;
        expect(text.length).toBeLessThan(last + 150);
        expect(text).toMatch(/\[part \d+ of \d+; read_result \{"result": "r\w+", "part": \d+\} reads on\]$/);
        const read = await following(found, text);
        expect(whole.endsWith(read)).toBe(true);
        expect(read.length).toBeGreaterThanOrEqual(whole.length - 4 * 1000 - 1);
      }
    },
  );

  test('the last one ends with its end', async () => {
    const found = reading(LINES);
    const { text } = await found.read({ part: 10 });
    const read = await following(found, found.results.shrink(found.name, `${text}`, 60));
    expect(LINES.endsWith(read)).toBe(true);
    expect(read.length).toBeGreaterThanOrEqual(91);
  });

  test('what is no part is cut', async () => {
    const { name, read, results } = reading(LINES);
    const { text } = await read({ search: 'line' });
    expect(results.shrink(name, text, 100)).toMatch(/\[cut: 400 of \d+ characters\]$/);
    const forged = `${'z'.repeat(900)}\n... [part 2 of 10]`;
    expect(results.shrink(name, forged, 100)).toMatch(/\[cut: 400 of \d+ characters\]$/);
  });

  test('a result of which the beginning is kept still says how long it was', () => {
    const { results, shown } = reading('x'.repeat(2e6), 6000);
    expect(results.shrink('read', shown, 1000)).toContain(
      '1000 of 2000000 characters, of which 1000000 are kept',
    );
  });
});

describe('what is kept', () => {
  test('a reference means the same text in every conversation, or none', async () => {
    const one = reading(LINES);
    const other = reading(`${LINES}!`);
    expect(reading(LINES).reference).toBe(one.reference);
    expect((await other.read({ result: one.reference })).text).toContain('another conversation');
  });

  test('a text of 100 MB: its first million, in little memory', () => {
    const kept = new KeptResults();
    const result = kept.keep('read', 'x'.repeat(100e6), 6000);
    expect([result.text.length, result.length, partCount(result)]).toEqual([1e6, 100e6, 167]);
    expect(partOf(result, 167)).toHaveLength(4000);
    const { shown } = reading('x'.repeat(2e6), 6000);
    expect(shown).toContain('[cut: 6000 of 2000000 characters, of which 1000000 are kept; this was');
  });

  test('20 results and 8 million characters at most; the one used longest ago goes', () => {
    const kept = new KeptResults();
    const references = Array.from({ length: 25 }, (_, at) => kept.keep('t', `${at} long`, 3).reference);
    expect(kept.all()).toHaveLength(20);
    expect(kept.find(references[4] as string)).toBeUndefined();
    expect(kept.find(references[5] as string)?.text).toBe('5 long');
    kept.keep('t', 'another', 3);
    expect(kept.find(references[6] as string)).toBeUndefined();
    for (let at = 0; at < 12; at++) kept.keep('t', `${at}${'x'.repeat(2e6)}`, 100);
    expect(kept.all().map(({ text }) => text.length)).toEqual(Array(8).fill(1e6));
    kept.clear();
    expect(kept.isEmpty).toBe(true);
  });

  test('the same result twice is kept once', () => {
    const kept = new KeptResults();
    kept.keep('t', LINES, 100);
    kept.keep('t', LINES, 100);
    expect(kept.all()).toHaveLength(1);
  });
});

test.each([
  [2048, 3200],
  [4096, 3200],
  [8192, 6000],
  [16_384, 12_288],
  [131_072, 60_000],
])('of a context of %i tokens a result may take %i characters', (tokens, chars) => {
  expect(resultLimit(tokens)).toBe(chars);
});

describe('in a conversation', () => {
  function talk(steps: Step[]) {
    const host = new FakeHost({ read: answer(LINES), add: answer('3') });
    const model = new FakeModel(steps);
    const history = createHistory('SYS');
    const agent = new Conversation({
      model,
      tools: host,
      history,
      sampling: {},
      toolTimeoutMs: 1000,
      maxResultChars: 1000,
    });
    const offered = (at: number) => model.requests[at]?.tools.map(tool => tool.function.name);
    return { agent, history, host, model, offered };
  }
  const reference = reading(LINES).reference;
  const readOn = (args: Record<string, unknown>) => [call('read_result', { result: reference, ...args })];

  test('the tool is offered once a result was cut, last; its calls reach no server', async () => {
    const steps = [[call('add')], [call('read')], readOn({ part: 2 }), [content('ok')], [content('yes')]];
    const { agent, history, host, model, offered } = talk(steps);
    const events = await collect(agent.turn('x'));
    expect([0, 1, 2, 3].map(offered)).toEqual([
      ['read', 'add'],
      ['read', 'add'],
      ['read', 'add', 'read_result'],
      ['read', 'add', 'read_result'],
    ]);
    expect(host.calls.map(({ name }) => name)).toEqual(['add', 'read']);
    expect(model.requests[3]?.messages.at(-1)?.content).toBe(
      `${LINES.slice(1000, 2000)}\n... [part 2 of 10]`,
    );
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool_call', name: 'read_result' }));
    // The saved conversation holds what the model saw, not the whole result.
    expect(JSON.stringify(history).length).toBeLessThan(4000);
    await collect(agent.turn('y'));
    expect(offered(4)).toContain('read_result');
  });

  test('a part that is no number, or no reference at all, is told to the model', async () => {
    const { agent, model } = talk([
      [call('read')],
      readOn({ part: 'two' }),
      [call('read_result', {})],
      [content('ok')],
    ]);
    await collect(agent.turn('x'));
    const said = model.requests[3]?.messages.map(message => message.content).join('\n');
    expect(said).toMatch(/part/);
    expect(said).toMatch(/result/);
  });

  test('/clear forgets them', async () => {
    const { agent, history, offered, model } = talk([
      [call('read')],
      [content('ok')],
      readOn({ part: 2 }),
      [content('again')],
    ]);
    await collect(agent.turn('x'));
    agent.clear();
    await collect(agent.turn('y'));
    expect(offered(2)).toEqual(['read', 'add']);
    expect(model.requests[3]?.messages.at(-1)?.content).toContain('read_result');
    expect(history.messages.some(message => message.content.includes('line 50 of'))).toBe(false);
  });
});
