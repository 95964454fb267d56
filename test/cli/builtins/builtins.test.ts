import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { ReplyEvent } from '../../../src/agent/model/chat-model.ts';
import { namesOf } from '../../../src/cli/builtins/run-builtin.ts';
import { BUILTINS } from '../../../src/cli/builtins/table.ts';
import { LlmHostError } from '../../../src/errors.ts';
import { call, collect, content, STATS } from '../../agent/fakes.ts';
import { place, says } from './place.ts';

describe('the table', () => {
  test('has every command once, each with a line in the help', async () => {
    const { type } = place([]);
    const names = BUILTINS.flatMap(namesOf);
    expect(new Set(names).size).toBe(names.length);
    const help = (await type('/help'))?.output ?? '';
    for (const name of names) expect(help).toContain(`/${name}`);
    // In two columns, and in the menu on one row of 80 columns.
    for (const line of help.split('\n')) expect(line).toMatch(/^\/.{29} {2}\S.{1,66}$/);
    for (const name of ['tools', 'mcp', 'model', 'stats', 'system', 'think', 'retry', 'undo', 'save', 'load'])
      expect(names).toContain(name);
  });

  test('knows plain words in any case, and none inside a prompt', async () => {
    const { type } = place([]);
    for (const word of ['BYE', 'exit', 'q']) expect(await type(word)).toMatchObject({ quit: true });
    expect((await type('help'))?.output).toContain('/stats');
    expect((await type('/mcp foo'))?.output).toContain('there is no /mcp foo');
    expect((await type('tools'))?.output).toContain('echo (fake)');
    expect(await type('clear the table')).toBeUndefined();
    expect(await type('/usr/bin is a folder')).toBeUndefined();
    expect((await type('/retyr'))?.output).toBe(
      'Unknown command /retyr. Did you mean /retry? /help lists the commands.',
    );
  });
});

describe('the conversation', () => {
  test('/undo takes the last turn back, /retry asks it again, /clear leaves the system message', async () => {
    const { ask, model, roles, type } = place(says('One.', 'Two.', 'Three.'));
    await ask('first');
    await ask('second');
    expect((await type('/undo'))?.output).toBe('The last turn was taken back.');
    expect(roles()).toBe('system user assistant');
    const retried = await type('/retry');
    expect([retried?.prompt, roles()]).toEqual([{ text: '', data: 'first', shown: 'first' }, 'system']);
    await ask('first');
    expect(model.requests.at(-1)?.messages.map(({ content: text }) => text)).toEqual(['Be brief.', 'first']);
    await type('/clear');
    expect(roles()).toBe('system');
    expect((await type('/undo'))?.output).toBe('There is no turn to take back.');
    expect((await type('/retry'))?.output).toBe('There is no prompt to ask again.');
  });

  test('/system shows and sets, /stats and /model tell', async () => {
    const { ask, model, type } = place(says('One.'));
    expect((await type('/stats'))?.output).toBe('No reply yet.');
    expect((await type('/system'))?.output).toBe('Be brief.');
    await type('/system Be long.');
    await ask('go');
    expect(model.requests[0]?.messages[0]?.content).toBe('Be long.');
    expect((await type('/stats'))?.output).toContain('Context: 15 of 100000 tokens');
    expect((await type('/model'))?.output).toContain('tiny: 1 M parameters\nOn this machine: demo');
  });
});

test('/stats agrees with itself: the parts sum up to the totals, and calls that ran are the right ones', async () => {
  const broken = { type: 'malformed', raw: '<tool_call>{', reason: 'cut off' } as const;
  const timed = (events: readonly ReplyEvent[], generatedTokens: number, decodeMs: number) =>
    async function* () {
      yield* events;
      return { ...STATS, generatedTokens, decodeMs };
    };
  const { ask, type } = place([
    timed([call('echo'), call('nothing')], 21, 1000),
    timed([broken], 11, 1000),
    timed([call('echo')], 31, 1000),
    timed([content('Done.')], 1, 0),
  ]);
  await ask('go');
  const output = (await type('/stats'))?.output ?? '';
  // 20 + 10 + 30 tokens after the first of each reply, in 3 s.
  expect(output).toContain('Last reply: 1 token at no rate');
  expect(output).toContain('Session: 4 replies, 64 tokens at 20.0 tok/s, 2 tool calls ran, 0 failed');
  const [, calls, right, retried, gaveUp] =
    /Tool calls: (\d+), (\d+) right.*, (\d+) after a retry, (\d+) given up/.exec(output)?.map(Number) ?? [];
  expect(calls).toBe((right ?? 0) + (retried ?? 0) + (gaveUp ?? 0));
  expect((right ?? 0) + (retried ?? 0)).toBe(2);
  await type('clear');
  expect((await type('/stats'))?.output).toMatch(/^Context: 0 of .*\nSession: 4 replies, 64 tokens/);
});

test.each([
  [
    { passes: 10, sequences: 10, proposed: 14, accepted: 11 },
    'Decoding: 2.10 tokens a step in 10 steps, 11 of 14 proposed tokens accepted',
  ],
  [{ passes: 21, sequences: 21, proposed: 0, accepted: 0 }, 'Decoding: 1.00 tokens a step in 21 steps\n'],
  [{ passes: 0, sequences: 0, proposed: 0, accepted: 0 }, undefined],
  [undefined, undefined],
] as const)('/stats shows the steps of the last reply: %j', async (decoding, line) => {
  const { ask, type } = place([
    async function* () {
      yield content('Done.');
      return { ...STATS, generatedTokens: 22, decodeMs: 1000, ...(decoding && { decoding }) };
    },
  ]);
  await ask('go');
  const output = (await type('/stats'))?.output ?? '';
  if (line) expect(output).toContain(line);
  else expect(output).not.toContain('Decoding');
});

describe('files', () => {
  test('the numbers of a list stay valid when newer conversations are saved, until the next list', async () => {
    const { ask, folder, session, type } = place(says('Paris.'));
    await ask('Which capital has France?');
    await type('/sessions');
    const newer = { ...session.snapshot(), messages: [{ role: 'user', content: 'Newer.' }] };
    writeFileSync(join(folder, 'sessions', '9999.json'), JSON.stringify(newer));
    await type('/load 1');
    expect(session.history.messages.at(-1)?.content).toBe('Paris.');
    await type('/load');
    await type('/load 1');
    expect(session.history.messages.at(-1)?.content).toBe('Newer.');
  });

  test('/save, /load by name and by number, /sessions, /export', async () => {
    const { ask, folder, roles, session, type } = place(says('Paris.'));
    await ask('Which capital has France?');
    const file = join(folder, 'talk.json');
    expect((await type(`/save ${file}`))?.output).toBe(`Saved to ${file}`);
    const listed = (await type('/sessions capital'))?.output ?? '';
    expect(listed).toContain('tiny  Which capital has France?');
    // As the clock on the wall says, wherever that is.
    vi.stubEnv('TZ', 'Asia/Kolkata');
    const shown = (await type('/sessions capital'))?.output ?? '';
    const india = { dateStyle: 'short', timeStyle: 'short', timeZone: 'Asia/Kolkata' } as const;
    expect(shown.slice(0, 16)).toBe(
      new Date(session.folder.list()[0]?.updated ?? '').toLocaleString('sv-SE', india),
    );
    vi.unstubAllEnvs();
    await type('/clear');
    expect((await type(`/load ${file}`))?.output).toBe(`Loaded 1 turn from ${file}`);
    await type('/clear');
    expect((await type('/load 1'))?.output).toContain('Loaded 1 turn');
    expect(roles()).toBe('system user assistant');
    for (const [format, mark] of [
      ['md', '## User'],
      ['html', '<html'],
      ['json', '"messages"'],
    ] as const) {
      const to = join(folder, `talk-out.${format}`);
      expect((await type(`/export ${to}`))?.output).toBe(`Exported to ${to}`);
      expect(readFileSync(to, 'utf8')).toContain(mark);
    }
    expect((await type('/export'))?.output).toContain('## Assistant\n\nParis.');
  });

  test('what cannot be read or written is said, and the conversation stays', async () => {
    const { ask, folder, roles, type } = place(says('Paris.'));
    await ask('go');
    writeFileSync(join(folder, 'broken.json'), '{');
    for (const [line, said] of [
      [`/load ${folder}/none.json`, 'none.json does not exist'],
      [`/load ${folder}/broken.json`, 'is not a saved session'],
      ['/load 9', 'There is no conversation 9'],
      [`/save ${folder}/broken.json/x`, 'cannot be saved'],
      [`/export ${folder}/broken.json/x.md`, 'cannot be written'],
      [`/export ${folder}/x.pdf`, '/export takes'],
    ] as const)
      expect((await type(line))?.output).toContain(said);
    expect(roles()).toBe('system user assistant');
  });
});

test('/undo and /compact are saved at once, in the automatic copy and by --save, whose problem is told', async () => {
  const long = 'This is a long reply about nothing in particular. '.repeat(20);
  const { ask, folder, session, type } = place(says(long, long, long, 'A summary.', 'Yes.'), {
    saveTo: 'talk.json',
  });
  const saved = () => {
    const [copy] = session.folder.list();
    return [join(folder, 'talk.json'), copy?.path ?? ''].map(path => {
      const { messages, summarized = [] } = JSON.parse(readFileSync(path, 'utf8'));
      return [messages, summarized];
    });
  };
  const present = () => [session.history.messages, session.history.summarized];
  for (const prompt of ['one', 'two', 'three']) await ask(prompt);
  for (const line of ['/undo', '/compact', '/undo']) {
    await type(line);
    expect([line, ...saved()]).toEqual([line, present(), present()]);
  }
  rmSync(join(folder, 'talk.json'));
  mkdirSync(join(folder, 'talk.json'));
  const refused = /\nNotice: .*talk\.json: it is not a file/;
  expect((await type('/compact'))?.output).toMatch(refused);
  expect((await type('/undo'))?.output).toBe('The summary was taken back; every turn is there again.');
  rmSync(join(folder, 'talk.json'), { recursive: true });
  await type('/undo');
  rmSync(join(folder, 'talk.json'));
  mkdirSync(join(folder, 'talk.json'));
  expect((await type('/undo'))?.output).toMatch(refused);
  expect((await type('/undo'))?.output).toBe('There is no turn to take back.');
});

describe('the KV cache', () => {
  const cacheOf = (files: string[]) => ({
    saveCache: async (path: string) => {
      files.push(path);
      writeFileSync(path, 'cache');
      return { tokens: 300, bytes: 2_500_000 };
    },
    loadCache: async (path: string) => {
      if (readFileSync(path, 'utf8') !== 'cache') throw new LlmHostError('CACHE', 'it is of another model');
      return { tokens: 300, bytes: 2_500_000 };
    },
  });

  test('is saved by /save FILE and loaded by /load; a broken one only costs time', async () => {
    const { ask, folder, type } = place(says('One.'), { cache: cacheOf([]) });
    await ask('go');
    const [file, cache] = [join(folder, 'talk.json'), join(folder, 'talk.json.cache.safetensors')];
    expect((await type(`/save ${file}`))?.output).toBe(
      `Saved to ${file}\nThe KV cache is saved in ${cache} (300 tokens, 2.5 MB).`,
    );
    expect((await type(`/load ${file}`))?.output).toContain('Its KV cache was loaded: 300 tokens.');
    writeFileSync(cache, 'other');
    expect((await type(`/load ${file}`))?.output).toContain(
      'Its KV cache cannot be used, so the conversation is computed again: it is of another model',
    );
  });

  test('is saved by --save when the chat ends, not for automatically saved sessions', async () => {
    const files: string[] = [];
    const silent = place(says('One.'), { cache: cacheOf(files), saveTo: 'talk.json' });
    await silent.session.close();
    expect(files).toEqual([]);
    const kept = place(says('One.'), { cache: cacheOf(files), saveTo: 'talk.json' });
    await kept.ask('go');
    await kept.session.close();
    expect(files).toEqual([join(kept.folder, 'talk.json.cache.safetensors')]);
    const unasked = place(says('One.'), { cache: cacheOf(files) });
    await unasked.ask('go');
    await unasked.type('/save');
    await unasked.session.close();
    expect(files).toHaveLength(1);
  });

  test.each(['talk.json', 'other.json'])(
    '--save %s: what cannot be written is told once; the sessions that are kept unasked do not stand in its way',
    async saveTo => {
      const { folder, ask, logged } = place(says('One.', 'Two.', 'Three.'), { saveTo });
      const notices = async (prompt: string) =>
        (await ask(prompt)).filter(event => event.type === 'notice').map(event => event.message);
      // The state folder is a file here, and so cannot hold sessions.
      writeFileSync(join(folder, 'sessions'), '');
      mkdirSync(join(folder, 'talk.json'));
      const refused = [expect.stringContaining('talk.json: it is not a file')];
      expect(await notices('go')).toEqual(saveTo === 'talk.json' ? refused : []);
      expect(await notices('on')).toEqual([]);
      expect(logged()).toContain('The session cannot be saved to');
      if (saveTo === 'other.json') expect(readFileSync(join(folder, saveTo), 'utf8')).toContain('Two.');
      rmSync(join(folder, 'talk.json'), { recursive: true });
      await ask('once more');
      expect(readFileSync(join(folder, saveTo), 'utf8')).toContain('Three.');
    },
  );

  test('is not waited for while a turn runs', async () => {
    const files: string[] = [];
    const { session } = place(says('One.', 'Two.'), { cache: cacheOf(files), saveTo: 'talk.json' });
    await collect(session.turn({ text: 'go' }, new AbortController().signal));
    const turn = session.turn({ text: 'on' }, new AbortController().signal);
    await turn.next();
    await session.close();
    expect(files).toEqual([]);
    await turn.return(undefined);
  });
});

test('debug messages: every event of a turn but the single tokens, without secrets; errors always', async () => {
  const { ask, folder, logged, type } = place([
    ...says('Quiet.'),
    [call('echo', { text: 'hunter2', password: 'x' })],
    [content('Loud.')],
    new LlmHostError('ENGINE', 'it broke'),
  ]);
  await ask('before');
  expect(logged()).toBe('');
  expect((await type('debug'))?.output).toBe(`Debug messages are written to ${join(folder, 'log.jsonl')}`);
  await ask('with hunter2');
  const text = logged();
  for (const word of [
    '"msg":"user"',
    '"msg":"tool_call"',
    '"msg":"tool_result"',
    'Loud.',
    '"promptTokens":10',
  ])
    expect(text).toContain(word);
  expect(text).not.toMatch(/hunter2|hf_abcdef|"msg":"token"/);
  await type('debug');
  await ask('again');
  const last = logged()
    .slice(text.length)
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
  expect(last).toEqual([
    expect.objectContaining({ msg: 'error', turn: expect.objectContaining({ code: 'ENGINE' }) }),
  ]);
  expect(existsSync(join(folder, 'log.jsonl.1'))).toBe(false);
});

test('/tools: what the definitions cost, what is offered, and what is pinned', async () => {
  const { type } = place([]);
  expect((await type('/tools'))?.output).toMatch(
    /^echo \(fake\)\nTokens of the definitions: \d+ in all, \d+ % of the context of 100000\nfake \d+: echo \d+$/,
  );
  expect((await type('/tools echo'))?.output).toMatch(/^echo \(fake\)\n(Arguments:|It takes no arguments\.)/);
  expect((await type('/tools fake'))?.output).toBe('echo (fake)');
  expect((await type('/tools other'))?.output).toMatch(/no tool or server 'other'\n\/tools, \/tools NAME/);
  expect((await type('/tools ecoh'))?.output).toContain("Did you mean 'echo'?");
  expect((await type('/tools offered'))?.output).toBe('The only tool is offered.');
  expect((await type('/tools pin ecoh'))?.output).toContain("Did you mean 'echo'?");
  expect((await type('/tools pin echo'))?.output).toBe("'echo' is offered from the next prompt on.");
  expect((await type('/tools offered'))?.output).toBe('The only tool is offered.\nPinned: echo');
  expect((await type('/tools pin fake'))?.output).toBe("'fake' is offered from the next prompt on.");
  expect((await type('/tools unpin fake'))?.output).toBe("'fake' is no longer pinned.");
  expect((await type('/tools unpin echo'))?.output).toBe("'echo' is no longer pinned.");
  expect((await type('/tools unpin echo'))?.output).toBe("'echo' was not pinned.");
  expect((await type('/tools pin'))?.output).toContain('there is no /tools pin');
});
