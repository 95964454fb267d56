import { afterEach, describe, expect, test } from 'vitest';
import { Conversation } from '../../src/agent/turn/conversation.ts';
import { createHistory } from '../../src/chat/history.ts';
import { McpHost } from '../../src/mcp/host/mcp-host.ts';
import type { CompletionRequest } from '../../src/mcp/tool-host.ts';
import { call, collect, content, FakeModel } from '../agent/fakes.ts';
import { fixture } from '../fixtures/mcp/support.ts';

const TIMEOUT = { timeout: 60_000 };
const LIMIT = { timeoutMs: 20_000 };
const ERAS = ['old', 'new'] as const;
const never = new AbortController().signal;

let host: McpHost;
afterEach(() => host?.close());

async function start(era: (typeof ERAS)[number], behaviour = '', timeoutMs?: number): Promise<McpHost> {
  const limits = timeoutMs === undefined ? {} : { timeoutMs, startTimeoutMs: 30_000 };
  host = new McpHost({ configs: [{ ...fixture('extras', [era, behaviour], limits), name: 'x' }] });
  await host.start();
  expect(host.servers()).toMatchObject([{ state: 'ready' }]);
  await expect.poll(() => host.resources().length, { timeout: 20_000 }).toBe(2);
  return host;
}

const counts = async () =>
  JSON.parse((await host.call('counts', {}, LIMIT)).text) as { reads: number; asked: number };
const language = (value: string, context = {}): CompletionRequest => ({
  server: 'x',
  ref: { type: 'ref/prompt', name: 'review' },
  argument: { name: 'language', value },
  context,
});

describe('completion of arguments', TIMEOUT, () => {
  test.each(ERAS)('%s era: of prompts and templates, with the values that stand there', async era => {
    await start(era);
    expect(await host.complete(language('p'), never)).toEqual(['python', 'perl', 'pascal']);
    const level = { ...language('py', { language: 'perl' }), argument: { name: 'level', value: 'py' } };
    expect(await host.complete(level, never)).toEqual(['python-perl']);
    const author: CompletionRequest = {
      server: 'x',
      ref: { type: 'ref/resource', uri: 'memo://by/{author}' },
      context: {},
      argument: { name: 'author', value: 'type' },
    };
    expect(await host.complete(author, never)).toEqual(['typescript']);
    expect(await host.complete({ ...author, server: 'nobody' }, never)).toEqual([]);
  });

  test('a hostile answer: short texts that hide nothing, each once, at most 100', async () => {
    await start('old', 'hostile');
    const values = await host.complete(language(''), never);
    expect(values.slice(0, 3)).toEqual(['good', 'v0', 'v1']);
    expect(values).toHaveLength(100);
  });

  test.each(['no-list', 'fails', 'dies'])('a server that %s: none, and no error', async behaviour => {
    await start('old', behaviour);
    expect(await host.complete(language(''), never)).toEqual([]);
  });

  test('a server that does not complete is not asked; a slow one is given up with the next key', async () => {
    await start('old', 'mute');
    expect(await host.complete(language(''), never)).toEqual([]);
    expect((await counts()).asked).toBe(0);
    await host.close();
    await start('old', 'slow');
    const abort = new AbortController();
    const asked = host.complete(language(''), abort.signal);
    await expect.poll(async () => (await counts()).asked).toBe(1);
    abort.abort();
    expect(await asked).toEqual([]);
    expect(await host.complete(language(''), abort.signal)).toEqual([]);
    expect((await counts()).asked).toBe(1);
  });
});

describe('resources', TIMEOUT, () => {
  test.each(ERAS)(
    '%s era: one that was attached and changes is told once, to the user and to the model, whose turn may fail',
    async era => {
      await start(era);
      const { text } = await host.prepareInput('Look at @x:memo://today', LIMIT);
      expect(text).toContain('read 1');
      const told: string[] = [];
      await expect
        .poll(() => told.push(...host.takeNotices().filter(one => one.includes('changed'))), {
          timeout: 20_000,
        })
        .toBeGreaterThan(0);
      expect(told).toEqual([
        'Resource @x:memo://today has changed since it was attached; name it again to attach it anew.',
      ]);
      const changed = '[The resource x:memo://today has changed since it was attached]\n\nAnd now?';
      const failing = await host.prepareInput('And now?', LIMIT);
      expect(failing.text).toBe(changed);
      failing.giveBack?.();
      expect((await host.prepareInput('And now?', LIMIT)).text).toBe(changed);
      expect(await host.prepareInput('And now?', LIMIT)).toEqual({ text: 'And now?', notices: [] });
    },
  );

  test('only those are attached that are named where they may be', async () => {
    await start('new');
    const pasted = 'See @x:memo://today and @x:memo://nowhere';
    for (const naming of ['', 'See [paste]'])
      expect(await host.prepareInput(pasted, { ...LIMIT, naming })).toEqual({ text: pasted, notices: [] });
    const { text, notices } = await host.prepareInput(pasted, { ...LIMIT, naming: 'See @x:memo://today' });
    expect([text, notices]).toEqual([expect.stringContaining('read 1'), [expect.stringContaining('today')]]);
  });

  test('a server without subscriptions is not asked for one', async () => {
    await start('old', 'deaf');
    await host.prepareInput('@x:memo://today', LIMIT);
    expect((await host.prepareInput('@x:memo://today', LIMIT)).text).toContain('read 2');
    expect(host.takeNotices().join()).not.toContain('changed');
  });

  test('one that its server calls fresh is not read again until it changes; any other is', async () => {
    await start('new', 'fresh');
    const read = async () => /read \d+/.exec((await host.prepareInput('@x:memo://today', LIMIT)).text)?.[0];
    expect(await read()).toBe('read 1');
    await expect.poll(() => host.takeNotices().join(), { timeout: 20_000 }).toContain('has changed');
    expect([await read(), await read()]).toEqual(['read 2', 'read 2']);
    await host.close();
    await start('old');
    expect([await read(), await read()]).toEqual(['read 1', 'read 2']);
  });
});

test.each(ERAS)('%s era: titles are shown on one clean line, whatever the icons are', TIMEOUT, async era => {
  await start(era);
  expect(host.tools().map(({ title }) => title)).toEqual(['Links of the place', 'An older title', undefined]);
  expect(host.prompts()).toMatchObject([{ name: 'review', title: 'Review my code' }]);
  expect(host.resources().map(({ title }) => title)).toEqual(["Today's memo", 'By author']);
  // Nothing of an icon reaches the model or the user.
  expect(JSON.stringify([host.tools(), host.prompts(), host.resources()])).not.toMatch(
    /javascript|never-fetched/,
  );
});

test('what prompts and resources say of themselves hides nothing', TIMEOUT, async () => {
  await start('old');
  expect(host.prompts()).toMatchObject([
    {
      description: 'Looks at it.',
      arguments: [
        { name: 'language', required: true, description: 'Of the code.' },
        { name: 'level', required: false },
      ],
    },
  ]);
  expect(host.resources()[1]).toMatchObject({ name: 'by', description: 'Of one author.' });
});

describe('links in results', TIMEOUT, () => {
  test.each(ERAS)('%s era: told with their server, as far as they can be repeated, and read', async era => {
    await start(era);
    const outcome = await host.call('links', {}, LIMIT);
    expect(outcome.links).toEqual([{ server: 'x', uri: 'memo://today' }]);
    const read = await host.readResource('x', 'memo://today', LIMIT);
    expect(read).toEqual({ text: '[resource memo://today, text/plain]\nread 1', isError: false });
    await expect(host.readResource('nobody', 'memo://today', LIMIT)).rejects.toThrow("no server 'nobody'");
  });

  test('are read from a server that has a tool of that name itself', async () => {
    await start('old', 'reader');
    expect(host.tools().map(({ tool }) => tool)).toContain('read_resource');
    const { text } = await host.readResource('x', 'memo://today', LIMIT);
    expect(text).toContain('read 1');
  });

  test('reading one is a call that the user is asked about', async () => {
    const configs = [{ ...fixture('extras', ['old']), name: 'x' }];
    host = new McpHost({ configs, policy: { approval: 'ask' } });
    await host.start();
    await expect(host.readResource('x', 'memo://today', LIMIT)).rejects.toMatchObject({
      code: 'TOOL_REFUSED',
    });
  });

  test.each([
    ['yes', undefined],
    [{ arguments: { uri: 'memo://today' } }, undefined],
    [{ arguments: { uri: 'memo://other' } }, { uri: 'memo://other' }],
  ] as const)('asked about one and answered %j, the user has changed: %j', async (answer, changed) => {
    const configs = [{ ...fixture('extras', ['old']), name: 'x' }];
    host = new McpHost({ configs, policy: { approval: 'ask' } });
    host.setApprover(() => Promise.resolve(answer));
    await host.start();
    const permits: unknown[] = [];
    const { text } = await host.readResource('x', 'memo://today', {
      ...LIMIT,
      onPermit: permit => permits.push(permit.changed),
    });
    expect(permits).toEqual([changed]);
    expect(text).toContain(`[resource ${changed?.uri ?? 'memo://today'}, text/plain]`);
  });

  test('the model that reads one is not told of arguments that nobody changed', async () => {
    await start('old');
    const model = new FakeModel([
      [call('links')],
      [call('read_resource', { uri: ' memo://today' })],
      [content('Read.')],
    ]);
    const agent = new Conversation({
      model,
      tools: host,
      history: createHistory(),
      sampling: {},
      toolTimeoutMs: 20_000,
    });
    const events = await collect(agent.turn('Read it'));
    expect(JSON.stringify(events)).not.toContain('instead');
    expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: '[resource memo://today, text/plain]\nread 1',
    });
  });
});

test('a tool that may run as a task does once a call has outlasted its limit', TIMEOUT, async () => {
  await start('old', 'tasks', 1500);
  await expect(host.call('links', {}, LIMIT)).rejects.toThrow(
    "Tool 'links' timed out after 1.5s; called again it runs as a task, which may take longer",
  );
  await expect.poll(() => host.servers()[0]?.state).toBe('ready');
  expect((await host.call('links', {}, LIMIT)).text).toBe('done as a task');
});
