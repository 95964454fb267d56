import { afterEach, describe, expect, it } from 'vitest';
import { McpHost, type McpHostParts } from '../../../src/mcp/host/mcp-host.ts';
import { FLOW_LIMITS } from '../../../src/mcp/transport/incoming-flow.ts';
import { eventually, fixture } from '../../fixtures/mcp/support.ts';
import { cpuMs } from './withstand.ts';

const LIMIT = { timeoutMs: 20_000 };
/** Which comes first depends on how fast the answers are read. */
const TOO_MANY_REQUESTS = new RegExp(
  `more than (${FLOW_LIMITS.requestsPerSecond} requests a second|${FLOW_LIMITS.openRequests} requests at once)`,
);
/** Escape sequences, other controls but newline, and what people cannot see. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const UNCLEAN = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202e]|[\u{E0000}-\u{E007F}]/u;

const open: McpHost[] = [];
afterEach(() => Promise.all(open.splice(0).map(host => host.close())));

/** A host with one hostile server and a polite one beside it. */
async function host(behaviour: string, more: Partial<McpHostParts> = {}) {
  const log: string[] = [];
  const hostile = { ...fixture('hostile', [behaviour]), name: 'hostile' };
  const created = new McpHost({
    configs: [hostile, { ...fixture('polite'), name: 'polite' }],
    onLog: (server, line) => log.push(`${server} ${line}`),
    ...more,
  });
  open.push(created);
  await created.start();
  const call = (name: string, options = {}) => created.call(name, {}, { ...LIMIT, ...options });
  const failure = async (name: string): Promise<string> =>
    call(name).then(
      ({ text }) => `no failure: ${text}`,
      error => String((error as Error).message),
    );
  return { host: created, log, call, failure };
}

const namesOf = (created: McpHost) => created.tools().map(({ tool }) => tool);

describe('texts of a hostile server are clean and short', () => {
  it('errors, descriptions, instructions and log lines', async () => {
    const { host: created, log, failure } = await host('nasty');
    const message = await failure('run');
    expect(message).toContain('bad');
    expect(message).toContain('end');
    await eventually(() => log.filter(line => line.includes('bad')).length >= 2, 'stderr and log message');
    const [server] = created.servers();
    const described = created.tools().find(({ tool }) => tool === 'good')?.definition.function.description;
    for (const text of [message, server?.instructions ?? '?', described ?? '?', ...log]) {
      expect(text).not.toMatch(UNCLEAN);
    }
  });

  it('a failed start, a crash in a call, and the notice of it', async () => {
    const { host: created } = await host('dies-nasty');
    const error = created.servers()[0]?.error;
    const notices = created.takeNotices().join('\n');
    for (const text of [error ?? '', notices]) {
      expect(text).toContain('end');
      expect(text).not.toMatch(UNCLEAN);
    }
  });

  it('an error of 300 KB is cut at 4,000 characters', async () => {
    const { failure } = await host('long-error');
    expect((await failure('run')).length).toBeLessThan(4200);
  });

  it('a question that nobody can answer', async () => {
    const { host: created, call } = await host('asks');
    created.takeNotices();
    await call('run');
    const notices: string[] = [];
    await eventually(() => {
      notices.push(...created.takeNotices());
      return notices.some(notice => notice.includes('declined'));
    }, 'the notice');
    expect(notices.join('')).not.toMatch(UNCLEAN);
  });

  it('a question to the user, with the titles of its fields', async () => {
    const { host: created, call } = await host('asks');
    const asked: string[] = [];
    created.setElicitation(async request => {
      asked.push(request.message, request.fields[0]?.title ?? '?');
      return { action: 'decline' };
    });
    await call('run');
    await eventually(() => asked.length === 2, 'the question');
    for (const text of asked) expect(text).not.toMatch(UNCLEAN);
  });

  it('content nested 50,000 deep is a result that says so', async () => {
    const { call } = await host('deep-result');
    const text = await call('run').then(result => result.text, String);
    expect(text.length).toBeLessThan(70_000);
    expect((await call('good')).text).toBe('fine');
  });
});

/** Of a log that takes 1,000 at once and 100 a second of each server. */
const mostLines = (begun: number): number => 1200 + ((performance.now() - begun) / 1000) * 110;

describe('floods', () => {
  it('100,000 progress notes are merged, and the other server answers meanwhile', async () => {
    const { host: created, call } = await host('progress');
    const seen: { done: number; message?: string }[] = [];
    const begun = performance.now();
    const running = call('run', { onProgress: (progress: (typeof seen)[0]) => seen.push(progress) });
    let slowest = 0;
    let over = false;
    const other = (async () => {
      while (!over) {
        const from = cpuMs();
        await created.call('echo', { text: 'hi' }, LIMIT);
        slowest = Math.max(slowest, cpuMs() - from);
      }
    })();
    expect((await running).text).toBe('done');
    over = true;
    await other;
    const seconds = (performance.now() - begun) / 1000;
    expect(seen.length).toBeLessThan(seconds * 10 + 3);
    expect(seen.at(-1)?.done).toBe(99_999);
    expect(seen.map(({ message }) => message).join('')).not.toMatch(UNCLEAN);
    // Of this thread: what the flood takes before the other server's answer has its turn.
    expect(slowest).toBeLessThan(200);
  });

  it.each([
    ['pings', TOO_MANY_REQUESTS],
    ['pings-new', TOO_MANY_REQUESTS],
    ['logs', new RegExp(`more than ${FLOW_LIMITS.notificationsPerSecond} notifications a second`)],
  ])(
    '%s without end: the server is stopped with its reason, in bounded memory',
    async (behaviour, reason) => {
      const { failure, log, host: created } = await host(behaviour);
      const before = process.memoryUsage().rss;
      const begun = performance.now();
      expect(await failure('run')).toMatch(reason);
      expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
      expect(log.length).toBeLessThan(mostLines(begun));
      expect((await created.call('echo', { text: 'hi' }, LIMIT)).text).toBe('hi');
    },
  );

  it('requests whose answers are not read', async () => {
    const { failure } = await host('deaf-requests');
    expect(await failure('run')).toMatch(/more than 256 requests at once/);
  });

  it('answers to no request cost a short line each', async () => {
    const { call, log } = await host('unknown-ids');
    expect((await call('run')).text).toBe('done');
    expect(log.filter(line => line.includes('answers no request'))).toHaveLength(20);
    expect(Math.max(...log.map(line => line.length))).toBeLessThan(4200);
  });

  it('lines of stderr are cut, and those beyond 1,000 at once are only counted', async () => {
    const begun = performance.now();
    const { call, log } = await host('stderr-flood');
    expect((await call('run')).text).toBe('done');
    expect(log.length).toBeLessThan(mostLines(begun));
    expect(Math.max(...log.map(line => line.length))).toBeLessThan(4200);
  });
});

describe('definitions', () => {
  it('a default nested 20,000 deep: the tool is left out by name, the other stays', async () => {
    const { host: created, call } = await host('deep');
    expect(namesOf(created)).toContain('good');
    expect(namesOf(created)).not.toContain('nested');
    expect(created.takeNotices()).toContainEqual(
      "Server 'hostile': tool 'nested' is left out: its definition is nested deeper than 64 levels.",
    );
    expect((await call('good')).text).toBe('fine');
  });

  it('80,000 properties, 200,000 values, 40,000 characters', async () => {
    const { host: created } = await host('huge');
    expect(namesOf(created).filter(name => /many|long/.test(name))).toEqual([]);
    expect(namesOf(created)).toContain('good');
    const [notice] = created.takeNotices().filter(text => text.includes('left out'));
    for (const name of ['many-properties', 'many-values', 'long-description']) {
      expect(notice).toContain(`tool '${name}' is left out: its definition is larger than 32 KB`);
    }
  });

  it('each invalid tool is left out, and the others stay', async () => {
    const { host: created, log } = await host('invalid');
    expect(created.servers()[0]).toMatchObject({ state: 'ready', tools: 2 });
    expect(namesOf(created)).toEqual(expect.arrayContaining(['good', 'php']));
    const php = created.tools().find(({ tool }) => tool === 'php');
    expect(php?.definition.function.parameters).toMatchObject({ type: 'object', properties: {} });
    const left = log.filter(line => line.includes('is left out'));
    expect(left).toHaveLength(11);
    expect(left.join('\n')).not.toMatch(UNCLEAN);
    expect(left.join('\n')).toContain("the tool 'bad-schema' is left out: its inputSchema is not an object");
    const [notice] = created.takeNotices().filter(text => text.includes('left out'));
    expect(notice).toMatch(/^Server 'hostile': tool .* is left out: .*; 8 more tools are left out\.$/);
  });
});
