import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { LlmHostError } from '../../../src/errors.ts';
import type { OpenedModel } from '../../../src/run/open-model.ts';
import { call, content, FakeModel } from '../../agent/fakes.ts';
import { place, says } from './place.ts';

afterEach(() => vi.unstubAllEnvs());

/** A terminal that keeps what it is sent. */
function fakeTerminal() {
  const seen: string[] = [];
  return {
    seen,
    terminal: {
      write: (sequence: string) => void seen.push(sequence),
      lend: () => {
        seen.push('lent');
        return () => void seen.push('back');
      },
      blockedBy: <T>(work: () => T) => work(),
    },
  };
}

describe('/copy', () => {
  const REPLY = 'Two:\n```sh\nls -l\n```\n- and\n  ~~~\n  cd `x`\n  ~~~\n```\nopen';
  const copied = (seen: readonly string[]) =>
    seen.map(text => Buffer.from(text.slice('\u001b]52;c;'.length, -1), 'base64').toString());

  test('the last reply or a block of it, by OSC 52; it says so', async () => {
    for (const name of ['DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME']) vi.stubEnv(name, '');
    const { ask, type } = place(says(REPLY));
    const { seen, terminal } = fakeTerminal();
    expect((await type('/copy', { terminal }))?.output).toBe('There is no reply to copy yet.');
    await ask('go');
    expect((await type('/copy', { terminal }))?.output).toBe(
      `Copied the last reply (${REPLY.length} characters) by the terminal (OSC 52, if it allows it).`,
    );
    for (const number of [1, 2, 3]) await type(`/copy ${number}`, { terminal });
    expect(copied(seen)).toEqual([REPLY, 'ls -l', '  cd `x`', 'open']);
    expect((await type('/copy 4', { terminal }))?.output).toBe(
      'The last reply has no block 4; it has 1 to 3.',
    );
    expect((await type('/copy all', { terminal }))?.output).toContain('/copy takes nothing, or the number');
    expect((await type('/copy'))?.output).toBe('Not copied: there is no terminal to ask.');
  });

  test("by the desktop's program where there is one; a failing one and a text too long for a terminal are told", async () => {
    const { ask, folder, type } = place(says('x'.repeat(80_000)));
    const program = join(folder, 'wl-copy');
    writeFileSync(program, `#!/bin/sh\ncat > "${folder}/clipboard"\n`);
    chmodSync(program, 0o755);
    for (const [name, value] of [
      ['DISPLAY', ''],
      ['WSL_DISTRO_NAME', ''],
      ['WAYLAND_DISPLAY', 'wayland-0'],
      ['PATH', `${folder}:${process.env.PATH}`],
    ] as const)
      vi.stubEnv(name, value);
    await ask('go');
    const { terminal, seen } = fakeTerminal();
    expect((await type('/copy', { terminal }))?.output).toBe(
      'Copied the last reply (80000 characters) by wl-copy.',
    );
    expect(readFileSync(join(folder, 'clipboard'), 'utf8')).toHaveLength(80_000);
    writeFileSync(program, '#!/bin/sh\nexit 3\n');
    expect((await type('/copy', { terminal }))?.output).toBe(
      'Not copied: wl-copy ended with 3; 80000 bytes are more than a terminal takes (74994).',
    );
    expect(seen).toEqual([]);
  });
});

describe('/edit', () => {
  const editor = (folder: string, script: string) => {
    const path = join(folder, 'editor');
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    vi.stubEnv('VISUAL', '');
    vi.stubEnv('EDITOR', path);
  };

  test('asks the edited prompt in the place of the last turn, and gives the terminal back', async () => {
    const { ask, folder, roles, type } = place(says('One.', 'Two.'));
    await ask('first');
    await ask('second');
    editor(folder, 'sed -i s/second/third/ "$1"');
    const { seen, terminal } = fakeTerminal();
    expect(await type('/edit', { terminal })).toEqual({ output: '', prompt: { text: 'third' } });
    expect(roles()).toBe('system user assistant');
    expect(seen).toEqual(['lent', 'back']);
  });

  test.each([
    ['exit 1', 'ended with exit code 1; the prompt is unchanged'],
    ['exit 127', 'cannot be found; set VISUAL or EDITOR'],
    ['true', 'The prompt is unchanged; nothing was sent.'],
    [': > "$1"', 'The prompt is empty; nothing was sent.'],
    ['kill $$', 'the prompt is unchanged'],
  ])('%s: nothing is sent, and the conversation stays', async (script, said) => {
    const { ask, folder, roles, type } = place(says('One.'));
    await ask('first');
    editor(folder, script);
    const { seen, terminal } = fakeTerminal();
    const result = await type('/edit', { terminal });
    expect(result?.output).toContain(said);
    expect(result?.prompt).toBeUndefined();
    expect([roles(), seen]).toEqual(['system user assistant', ['lent', 'back']]);
  });

  test('without an editor, and without a terminal', async () => {
    const { type } = place([]);
    vi.stubEnv('VISUAL', '');
    vi.stubEnv('EDITOR', '');
    expect((await type('/edit', { terminal: fakeTerminal().terminal }))?.output).toContain(
      'set VISUAL or EDITOR',
    );
    expect((await type('/edit'))?.output).toBe('/edit needs a terminal.');
  });
});

describe('/compact', () => {
  const LONG = 'This is a long reply about nothing in particular. '.repeat(20);
  const asked = ['My cat Minka weighs 4.2 kg', 'Write to src/plan.md', 'The room is 117', 'And now?'];

  async function talk(...replies: ConstructorParameters<typeof FakeModel>[0]) {
    const found = place([...says(LONG, LONG, LONG, 'Yes.'), ...replies]);
    for (const prompt of asked) await found.ask(prompt);
    return found;
  }

  test('turns but the last become a summary with every name and number; /undo takes it back', async () => {
    const { folder, model, session, type } = await talk(...says('The user has a cat, Minka.'));
    const before = session.history.messages;
    const stats = async () => (await type('/stats'))?.output ?? '';
    const total = async () =>
      Number(/(\d+) tokens at/.exec((await stats()).split('Session: ')[1] ?? '')?.[1]);
    const tokens = await total();
    const output = (await type('/compact'))?.output ?? '';
    expect(output).toMatch(/^3 turns became a summary: \d+ tokens are \d+ now\./);
    expect(await stats()).toContain('Session: 4 replies, 1 more for summaries, ');
    expect(await total()).toBe((tokens * 5) / 4);
    expect(session.contextUsed).toBe(Number(/are (\d+) now/.exec(output)?.[1]));
    const { messages } = session.history;
    expect(messages.map(({ role }) => role).join(' ')).toBe('system user assistant user assistant');
    for (const fact of ['Minka', '4.2', 'src/plan.md', '117']) expect(messages[1]?.content).toContain(fact);
    expect([messages[0], ...messages.slice(-2)]).toEqual([before[0], ...before.slice(-2)]);
    // The same beginning as the conversation's own prompts, whose tools are a part of it.
    expect(model.requests.at(-1)?.tools).toEqual(model.requests.at(-2)?.listed);
    expect(model.requests.at(-1)?.messages.slice(0, -1)).toEqual(before.slice(0, 7));
    const file = join(folder, 'talk.json');
    await type(`/save ${file}`);
    expect(JSON.parse(readFileSync(file, 'utf8')).summarized).toEqual(before.slice(1, 7));
    expect((await type('/export'))?.output).toContain(LONG.trim());
    expect((await type('/undo'))?.output).toBe('The summary was taken back; every turn is there again.');
    expect(session.history.messages).toEqual(before);
    expect(session.snapshot().summarized).toBeUndefined();
    await type(`/load ${file}`);
    expect(session.snapshot().summarized).toEqual(before.slice(1, 7));
  });

  test('after a further turn /undo takes back that turn only; a second /compact keeps all words', async () => {
    const { ask, session, type } = await talk(...says('Minka.', LONG, LONG, 'Done.', 'Minka, again.'));
    const words = session.history.messages.slice(1, 7);
    await type('/compact');
    await ask('more');
    expect((await type('/undo'))?.output).toBe('The last turn was taken back.');
    await expect(ask('once more')).resolves.toBeDefined();
    await ask('and more');
    const second = session.history.messages.slice(3, 7);
    expect((await type('/compact'))?.output).toContain('2 turns became a summary');
    expect(session.snapshot().summarized).toEqual([...words, ...second]);
  });

  test.each([
    ['an empty summary, twice', [[content(' ')], [content(' ')]], 'The model wrote no summary'],
    ['a failing model', [new LlmHostError('ENGINE', 'it broke')], 'it broke'],
    [
      'a summary longer than the turns',
      [[content(Array.from({ length: 900 }, (_, at) => `It is ${at}.`).join(' '))]],
      'would be longer than these turns',
    ],
  ] as const)('%s changes nothing', async (_what, replies, said) => {
    const { session, type } = await talk(...replies);
    const before = session.history.messages;
    expect((await type('/compact'))?.output).toContain(said);
    expect(session.history.messages).toEqual(before);
  });

  test('Ctrl+C changes nothing; a conversation of one turn has nothing to summarize', async () => {
    const abort = new AbortController();
    const cancelled = async function* () {
      abort.abort();
      yield content('half');
      return {
        promptTokens: 0,
        cachedTokens: 0,
        generatedTokens: 1,
        firstTokenMs: 0,
        prefillMs: 0,
        decodeMs: 0,
        finishReason: 'cancelled' as const,
      };
    };
    const { session, type } = await talk(cancelled);
    const before = session.history.messages;
    expect((await type('/compact', { signal: abort.signal }))?.output).toContain('Cancelled');
    expect(session.history.messages).toEqual(before);
    expect((await place([]).type('/compact'))?.output).toContain('There is nothing to summarize');
  });

  test('what does not fit the context is summarized in parts', async () => {
    const found = await talk(...says('a', 'b', 'c'));
    found.model.contextLength = 2600;
    expect((await found.type('/compact'))?.output).toContain('3 turns became a summary');
    const parts = found.model.requests.slice(4).map(({ messages }) => messages[1]?.content ?? '');
    expect(parts.length).toBeGreaterThan(1);
    expect(parts[1]).toContain('Summary of what came before:\na');
  });
});

test.each(['/clear', '/load talk.json'])('after %s no result of before can be read on', async line => {
  const long = `${'x'.repeat(60_000)} and the end`;
  const { ask, folder, model, type } = place([[call('echo')], ...says('It is long.', 'Yes.')], {
    echo: long,
  });
  await ask('first');
  expect(model.requests[1]?.tools.map(tool => tool.function.name)).toEqual(['echo', 'read_result']);
  await type(`/save ${join(folder, 'talk.json')}`);
  await type(line.replace('talk.json', join(folder, 'talk.json')));
  await ask('second');
  expect(model.requests[2]?.tools.map(tool => tool.function.name)).toEqual(['echo']);
});

describe('/model NAME', () => {
  function switching(open: (name: string) => Promise<OpenedModel>) {
    const closed: string[] = [];
    const opened = (name: string, model: FakeModel): OpenedModel => ({
      model,
      name,
      device: 'cpu',
      description: `${name}: another`,
      notices: ['it is new'],
      close: async () => void closed.push(name),
    });
    const used: string[] = [];
    const found = place(says('One.'), {
      modelSwitch: { open, use: async ({ name }) => void used.push(name) },
    });
    return { ...found, closed, opened, used };
  }

  test('goes on with the same conversation', async () => {
    const next = new FakeModel(says('Two.'));
    const found = switching(async name => found.opened(name, next));
    await found.ask('first');
    expect((await found.type('/model other/one'))?.output).toBe('other/one: another\nNotice: it is new');
    await found.ask('second');
    expect(next.requests[0]?.messages.map(message => message.content)).toEqual([
      'Be brief.',
      'first',
      'One.',
      'second',
    ]);
    expect([found.used, found.closed, found.session.opened.name]).toEqual([['other/one'], [], 'other/one']);
    expect(found.session.snapshot().model).toBe('other/one');
  });

  test('a context too small for the conversation: refused, closed, and the old model stays', async () => {
    const small = new FakeModel([]);
    small.contextLength = 10;
    const found = switching(async name => found.opened(name, small));
    await found.ask('first');
    expect((await found.type('/model small'))?.output).toBe(
      'Error: the conversation takes 18 tokens, and the context of small is 10\n/compact makes it shorter, /clear forgets it.\ntiny stays loaded.',
    );
    expect([found.closed, found.used, found.session.opened.name]).toEqual([['small'], [], 'tiny']);
  });

  test('a name that is nowhere: did you mean; a failure: the old model stays', async () => {
    const found = switching(async name => {
      throw new LlmHostError(name === 'broken' ? 'MODEL_BROKEN' : 'MODEL_NOT_FOUND', `no ${name}`);
    });
    expect((await found.type('/model granit4:1b'))?.output).toMatch(
      /^Error: no granit4:1b\nDid you mean 'granite4:1b'\?[\s\S]*tiny stays loaded\.$/,
    );
    expect((await found.type('/model broken'))?.output).toBe('Error: no broken\ntiny stays loaded.');
    expect(found.session.opened.name).toBe('tiny');
  });

  test.each(['ollama', 'served'])('a model of %s stays, loaded or not', async device => {
    const found = switching(async name => {
      if (name === 'broken') throw new LlmHostError('MODEL_BROKEN', 'no broken');
      return { ...found.opened(name, new FakeModel([])), device };
    });
    await found.type('/model theirs');
    expect((await found.type('/model broken'))?.output).toBe('Error: no broken\ntheirs stays.');
  });

  test('Ctrl+C while it loads: the old model stays, and a model that was ready is closed', async () => {
    const abort = new AbortController();
    const found = switching(async name => {
      abort.abort();
      return found.opened(name, new FakeModel([]));
    });
    expect((await found.type('/model late', { signal: abort.signal }))?.output).toBe(
      'Cancelled; tiny stays.',
    );
    expect([found.closed, found.session.opened.name]).toEqual([['late'], 'tiny']);
  });
});
