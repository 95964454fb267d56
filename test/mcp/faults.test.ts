import { afterEach, describe, expect, it } from 'vitest';
import { McpHost } from '../../src/mcp/mcp-host.ts';
import { behindShell, eventually, fixture, processesWith } from '../fixtures/mcp/support.ts';

const LIMIT = { timeoutMs: 60_000 };
const hosts: McpHost[] = [];

afterEach(async () => {
  await Promise.all(hosts.splice(0).map(host => host.close()));
});

async function hostOf(...configs: ReturnType<typeof fixture>[]): Promise<McpHost> {
  const host = new McpHost({ configs });
  hosts.push(host);
  await host.start();
  return host;
}

const failing = (host: McpHost, timeoutMs: number): Promise<Error> =>
  host.call('run', {}, { timeoutMs }).then(
    () => new Error('resolved'),
    error => error,
  );

describe('the conversation goes on when a server', () => {
  it('never answers a call nor a ping: it is started again', async () => {
    const host = await hostOf(fixture('raw', ['never']));
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

  it("answers after the limit: the late answer is nobody's", async () => {
    const host = await hostOf(fixture('raw', ['late']));
    expect((await failing(host, 200)).message).toContain('timed out after 0.2s');
    const texts = await Promise.all([1, 2, 3].map(async () => (await host.call('ping', {}, LIMIT)).text));
    expect(new Set(texts).size).toBe(1);
  });

  it('sends bytes that are no UTF-8', async () => {
    const host = await hostOf(fixture('raw', ['invalid-utf8']));
    expect((await host.call('run', {}, LIMIT)).text).toBe('a\ufffdb');
  });

  it('has 500 tools', async () => {
    const host = await hostOf(fixture('raw', ['many-tools']));
    expect(host.tools()).toHaveLength(500);
  });

  it('has a list of tools that goes round in circles', async () => {
    const host = await hostOf(fixture('raw', ['circles']));
    expect(host.tools().map(({ tool }) => tool)).toEqual(['tool_0', 'tool_a', 'tool_b']);
  });

  it('has a schema that refers to itself', async () => {
    const host = await hostOf(fixture('raw', ['ref-cycle']));
    expect((await host.call('run', { list: { next: {} } }, LIMIT)).text).toBe('ran');
  });

  it('changes its tools all the time: fetched with pauses, told once', async () => {
    const host = await hostOf(fixture('raw', ['changing']));
    host.takeNotices();
    const names = new Set<string>();
    await eventually(() => {
      for (const { tool } of host.tools()) names.add(tool);
      return names.size >= 5;
    }, 'three changes are seen');
    expect((await host.call('ping', {}, LIMIT)).text).toMatch(/^\d+$/);
    expect(host.takeNotices()).toHaveLength(1);
  });

  it.each(['sh -c', 'exec chain', 'runner that forks'])(
    'is wrapped (%s), and nothing is left',
    async wrapper => {
      const mark = `fault-${wrapper.replaceAll(' ', '-')}-${process.pid}`;
      const plain = fixture('polite', [mark]);
      const line = [plain.command, ...plain.args].map(word => `'${word}'`).join(' ');
      const config = {
        'sh -c': behindShell(plain),
        'exec chain': { ...plain, command: 'sh', args: ['-c', `exec sh -c "exec ${line}"`] },
        'runner that forks': { ...plain, command: 'sh', args: ['-c', `exec 3<&0; ${line} <&3 & wait`] },
      }[wrapper] as ReturnType<typeof fixture>;
      const host = await hostOf(config);
      expect((await host.call('echo', { text: 'through' }, LIMIT)).text).toBe('through');
      await host.close();
      expect(processesWith(mark)).toEqual([]);
    },
  );
});

describe('progress', () => {
  it('keeps a call alive beyond its limit', async () => {
    const host = await hostOf(fixture('polite', [], { timeoutMs: 5000, startTimeoutMs: 30_000 }));
    const { text } = await host.call('steps', { pauseMs: 2500 }, LIMIT);
    expect(text).toBe('stepped');
  });
});

it('a server that hangs at its start does not keep seven others from the prompt', async () => {
  const good = Array.from({ length: 7 }, (_, index) => ({ ...fixture('polite'), name: `good-${index}` }));
  const host = new McpHost({ configs: [...good, { ...fixture('raw', ['mute']), name: 'hanging' }] });
  hosts.push(host);
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
