import { describe, expect } from 'vitest';
import { McpHost } from '../../src/mcp/host/mcp-host.ts';
import { hostTest as it } from '../fixtures/mcp/host-test.ts';
import { behindShell, eventually, fixture, processesWith, SHORT_WAITS } from '../fixtures/mcp/support.ts';

const LIMIT = { timeoutMs: 60_000 };
const failing = (host: McpHost, timeoutMs: number): Promise<Error> =>
  host.call('run', {}, { timeoutMs }).then(
    () => new Error('resolved'),
    error => error,
  );

describe.concurrent('the conversation goes on when a server', () => {
  it('never answers a call nor a ping: it is started again', async ({ started }) => {
    const host = await started({ configs: [fixture('raw', ['never'])], limits: SHORT_WAITS });
    const before = (await host.call('ping', {}, LIMIT)).text;
    expect((await failing(host, 200)).message).toBe("Tool 'run' timed out after 0.2s");
    // It does not know the protocol's ping either, and is started again.
    await eventually(
      () => host.takeNotices().some(notice => notice.includes('was restarted')),
      'another',
      30_000,
    );
    expect((await host.call('ping', {}, LIMIT)).text).not.toBe(before);
  });

  it("answers after the limit: the late answer is nobody's", async ({ started }) => {
    const host = await started({ configs: [fixture('raw', ['late'])] });
    expect((await failing(host, 200)).message).toContain('timed out after 0.2s');
    const texts = await Promise.all([1, 2, 3].map(async () => (await host.call('ping', {}, LIMIT)).text));
    expect(new Set(texts).size).toBe(1);
  });

  it('sends bytes that are no UTF-8', async ({ started }) => {
    const host = await started({ configs: [fixture('raw', ['invalid-utf8'])] });
    expect((await host.call('run', {}, LIMIT)).text).toBe('a\ufffdb');
  });

  it('has 500 tools', async ({ started }) => {
    const host = await started({ configs: [fixture('raw', ['many-tools'])] });
    expect(host.tools()).toHaveLength(500);
  });

  it('has a list of tools that goes round in circles', async ({ started }) => {
    const host = await started({ configs: [fixture('raw', ['circles'])] });
    expect(host.tools().map(({ tool }) => tool)).toEqual(['tool_0', 'tool_a', 'tool_b']);
  });

  it('has a schema that refers to itself', async ({ started }) => {
    const host = await started({ configs: [fixture('raw', ['ref-cycle'])] });
    expect((await host.call('run', { list: { next: {} } }, LIMIT)).text).toBe('ran');
  });

  it('changes its tools all the time: fetched with pauses, told once', async ({ started }) => {
    const host = await started({ configs: [fixture('raw', ['changing'])] });
    host.takeNotices();
    const names = new Set<string>();
    await eventually(() => {
      for (const { tool } of host.tools()) names.add(tool);
      return names.size >= 5;
    }, 'three changes are seen');
    expect((await host.call('ping', {}, LIMIT)).text).toMatch(/^\d+$/);
    expect(host.takeNotices()).toHaveLength(1);
  });

  it.for(['sh -c', 'exec chain', 'runner that forks'])(
    'is wrapped (%s), and nothing is left',
    async (wrapper, { started }) => {
      const mark = `fault-${wrapper.replaceAll(' ', '-')}-${process.pid}`;
      const plain = fixture('polite', [mark]);
      const line = [plain.command, ...plain.args].map(word => `'${word}'`).join(' ');
      const config = {
        'sh -c': behindShell(plain),
        'exec chain': { ...plain, command: 'sh', args: ['-c', `exec sh -c "exec ${line}"`] },
        'runner that forks': { ...plain, command: 'sh', args: ['-c', `exec 3<&0; ${line} <&3 & wait`] },
      }[wrapper] as ReturnType<typeof fixture>;
      const host = await started({ configs: [config] });
      expect((await host.call('echo', { text: 'through' }, LIMIT)).text).toBe('through');
      await host.close();
      expect(processesWith(mark)).toEqual([]);
    },
  );
});

describe.concurrent('progress', () => {
  it('keeps a call alive beyond its limit', async ({ started }) => {
    const host = await started({
      configs: [fixture('polite', [], { timeoutMs: 3000, startTimeoutMs: 30_000 })],
    });
    const { text } = await host.call('steps', { pauseMs: 1500 }, LIMIT);
    expect(text).toBe('stepped');
  });
});

it.concurrent('a server that hangs at its start does not keep seven others from the prompt', async ({
  onTestFinished,
}) => {
  const good = Array.from({ length: 7 }, (_, index) => ({ ...fixture('polite'), name: `good-${index}` }));
  const host = new McpHost({ configs: [...good, { ...fixture('raw', ['mute']), name: 'hanging' }] });
  onTestFinished(() => host.close());
  void host.start();
  await host.settled({ quietMs: 1500, limitMs: 60_000 });
  expect(
    host
      .servers()
      .filter(({ state }) => state === 'starting')
      .at(-1)?.name,
  ).toBe('hanging');
  await eventually(() => host.tools().length === 105, 'the tools of all seven', 60_000);
  expect(host.servers().at(-1)?.state).toBe('starting');
});
