import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { LlmHostError } from '../../src/errors.ts';
import { McpHost } from '../../src/mcp/host/mcp-host.ts';
import { hostTest as it } from '../fixtures/mcp/host-test.ts';
import { eventually, fixture } from '../fixtures/mcp/support.ts';

const LIMIT = { timeoutMs: 20_000 };

async function failureOf(promise: Promise<unknown>): Promise<LlmHostError> {
  const error = await promise.then(
    value => new Error(`resolved with ${JSON.stringify(value)}`),
    reason => reason,
  );
  expect(error).toBeInstanceOf(LlmHostError);
  return error as LlmHostError;
}

/** Waits for a line of a server's log. */
function logWatch(): { onLog: (server: string, line: string) => void; saw: (text: string) => Promise<void> } {
  const lines: string[] = [];
  return {
    onLog: (server, line) => lines.push(`${server}: ${line}`),
    saw: text =>
      eventually(() => lines.some(line => line.includes(text)), `'${text}' in ${JSON.stringify(lines)}`),
  };
}

describe.concurrent('start', () => {
  it('lists the tools of a server and calls them', async ({ started }) => {
    const log = logWatch();
    const host = await started({ configs: [fixture('polite')], onLog: log.onLog });
    expect(host.servers()).toEqual([
      { name: 'polite', state: 'ready', tools: 15, instructions: 'Be polite.' },
    ]);
    expect(host.tools()[0]).toEqual({
      definition: {
        type: 'function',
        function: {
          name: 'echo',
          description: 'The tool echo.',
          parameters: { type: 'object', properties: {} },
        },
      },
      server: 'polite',
      tool: 'echo',
      readOnly: true,
    });
    expect(await host.call('echo', { text: 'hello' }, LIMIT)).toEqual({ text: 'hello', isError: false });
    await log.saw('polite: polite server is up');
  });

  it('goes on without the servers that fail, and says why they do', async ({ started }) => {
    const host = await started({
      configs: [
        { ...fixture('polite'), name: 'missing', command: 'no-such-program-anywhere' },
        { ...fixture('polite'), name: 'homeless', cwd: '/no/such/folder' },
        { ...fixture('raw', ['dies-at-start']), name: 'dead' },
        { ...fixture('raw', ['mute']), name: 'mute', timeoutMs: 1000 },
        fixture('polite'),
      ],
      failures: [{ name: 'broken', error: 'mcp.json:3: an object is expected' }],
    });
    const errors = Object.fromEntries(host.servers().map(server => [server.name, server.error]));
    expect(host.servers().map(server => server.state)).toEqual([
      'failed',
      'failed',
      'failed',
      'failed',
      'ready',
      'failed',
    ]);
    expect(errors.missing).toBe(
      `server 'missing': the command 'no-such-program-anywhere' was not found\nInstall it, or correct "command" of 'missing' in mcp.json.`,
    );
    expect(errors.homeless).toBe("server 'homeless': the working folder /no/such/folder does not exist");
    expect(errors.dead).toBe(
      "server 'dead' ended (exit code 7) during its start\nIts last output:\n  cannot open the database",
    );
    expect(errors.mute).toBe("server 'mute' did not answer within 1.0s of its start");
    expect(errors.broken).toBe('mcp.json:3: an object is expected');
    expect((await host.call('echo', { text: 'still here' }, LIMIT)).text).toBe('still here');
  });

  it('says what a server that does not start has printed in the place of messages', async ({ started }) => {
    const node = (name: string, script: string) => ({
      ...fixture('raw', [], { startTimeoutMs: 8000 }),
      name,
      args: ['-e', script],
    });
    const host = await started({
      configs: [
        node(
          'banner',
          "console.log('Listening on \\x1b[31mport 80'); console.log('second'); process.exitCode = 3",
        ),
        node('both', "console.log('x'.repeat(500)); console.error('no key'); process.exitCode = 3"),
        node('chatty', "setInterval(() => console.log('tick'), 10)"),
        node('quiet', "console.log('  '); process.exitCode = 3"),
      ],
    });
    const errors = Object.fromEntries(host.servers().map(server => [server.name, server.error]));
    const printed = 'Its stdout, which is for messages of the protocol, says:';
    expect(errors.banner).toBe(
      `server 'banner' ended (exit code 3) during its start\n${printed} Listening on port 80`,
    );
    expect(errors.both).toMatch(
      new RegExp(`^server 'both' ended .*\n${printed} x{190,200}\\S*\nIts last output:\n  no key$`),
    );
    expect(errors.chatty).toBe(`server 'chatty' did not answer within 8.0s of its start\n${printed} tick`);
    expect(errors.quiet).toBe("server 'quiet' ended (exit code 3) during its start");
  });

  it('reads all pages of tools', async ({ started }) => {
    const host = await started({ configs: [fixture('raw', ['pages'])] });
    expect(host.tools().map(tool => tool.tool)).toEqual(
      Array.from({ length: 70 }, (_, page) => `tool_${page}`),
    );
  });

  it('stops reading pages that never end', async ({ started }) => {
    const log = logWatch();
    const host = await started({ configs: [fixture('raw', ['endless'])], onLog: log.onLog });
    expect(host.tools()).toHaveLength(256);
    await log.saw('more than 256 pages');
  });

  it('leaves out single tools that make no sense', async ({ started }) => {
    const host = await started({ configs: [fixture('raw', ['odd'])] });
    expect(host.tools().map(tool => tool.definition.function.name)).toEqual(['good', 'bare', 'odd_name__']);
    expect(host.tools().map(tool => tool.tool)).toEqual(['good', 'bare', 'odd.name/ü']);
  });

  it('reads past junk on stdout and logs it', async ({ started }) => {
    const log = logWatch();
    const host = await started({ configs: [fixture('raw', ['junk'])], onLog: log.onLog });
    expect(host.servers()[0]?.state).toBe('ready');
    await log.saw('stray line on stdout: Starting up...');
    await log.saw('stray line on stdout: {"level":"info"');
  });

  it('gives each of two servers its tools under names of their own', async ({ started }) => {
    const host = await started({
      configs: [
        { ...fixture('polite'), name: 'one', env: { WHO: 'first' } },
        { ...fixture('polite'), name: 'two', env: { WHO: 'second' } },
      ],
    });
    expect(host.tools()).toHaveLength(30);
    expect((await host.call('one__value', { name: 'WHO' }, LIMIT)).text).toBe('first');
    expect((await host.call('two__value', { name: 'WHO' }, LIMIT)).text).toBe('second');
  });

  it('gives a server a short environment, its own env and its working folder', async ({ started }) => {
    process.env.LLM_HOST_TEST_SECRET = 'hidden';
    const host = await started({
      configs: [fixture('polite', [], { env: { EXTRA: 'yes', HOME: null }, cwd: '/' })],
    });
    const names = (await host.call('env', {}, LIMIT)).text.split(',');
    delete process.env.LLM_HOST_TEST_SECRET;
    expect(names).toEqual(expect.arrayContaining(['EXTRA', 'PATH']));
    expect(names).not.toContain('HOME');
    expect(names).not.toContain('LLM_HOST_TEST_SECRET');
    expect((await host.call('cwd', {}, LIMIT)).text).toBe('/');
  });
});

describe.concurrent('call', () => {
  it('returns tool errors as outcomes and protocol errors as TOOL_FAILED', async ({ started }) => {
    const host = await started({ configs: [fixture('polite')] });
    expect(await host.call('fail', {}, LIMIT)).toEqual({ text: 'Error: no luck today', isError: true });
    const failure = await failureOf(host.call('throw', {}, LIMIT));
    expect([failure.code, failure.message]).toEqual([
      'TOOL_FAILED',
      expect.stringContaining("Tool 'throw' failed: "),
    ]);
    expect(failure.message).toContain('broken inside');
  });

  it('names the nearest tool for an unknown one', async ({ started }) => {
    const host = await started({ configs: [fixture('polite')] });
    const failure = await failureOf(host.call('ehco', {}, LIMIT));
    expect([failure.code, failure.message, failure.hint]).toEqual([
      'TOOL_FAILED',
      "There is no tool 'ehco'",
      "Did you mean 'echo'?",
    ]);
  });

  it('turns structured results and images into text, and cuts what is too long', async ({ started }) => {
    const host = await started({ configs: [fixture('polite')], maxResultChars: 1000 });
    expect((await host.call('structured', {}, LIMIT)).text).toBe('{"sum":42}');
    expect((await host.call('image', {}, LIMIT)).text).toBe('[image image/png, 13 kB]');
    const { text, whole } = await host.call('large', { chars: 5_000_000 }, LIMIT);
    expect(text).toBe(`${'x'.repeat(1000)}\n... [cut: 1000 of 5000000 characters]`);
    // More of it to read on.
    expect(whole).toBe(`${'x'.repeat(1e6)}\n... [cut: 1000000 of 5000000 characters]`);
    expect(await host.call('large', { chars: 900 }, LIMIT)).not.toHaveProperty('whole');
  });

  it('ends at its time limit, tells the server, and leaves it usable', async ({ started }) => {
    const log = logWatch();
    const host = await started({ configs: [fixture('polite')], onLog: log.onLog });
    const failure = await failureOf(host.call('wait', {}, { timeoutMs: 300 }));
    expect([failure.code, failure.message]).toEqual(['TOOL_TIMEOUT', "Tool 'wait' timed out after 0.3s"]);
    await log.saw('cancelled by the client');
    expect((await host.call('echo', { text: 'on' }, LIMIT)).text).toBe('on');
  });

  it("takes the entry's own timeout where there is one", async ({ started }) => {
    const host = await started({
      configs: [fixture('polite', [], { timeoutMs: 5000, startTimeoutMs: 30_000 })],
    });
    const failure = await failureOf(host.call('wait', {}, LIMIT));
    expect(failure.message).toBe("Tool 'wait' timed out after 5.0s");
  });

  it('is cancelled by its signal, before and during the call', async ({ started }) => {
    const log = logWatch();
    const host = await started({ configs: [fixture('polite')], onLog: log.onLog });
    const before = await failureOf(host.call('wait', {}, { ...LIMIT, signal: AbortSignal.abort() }));
    const controller = new AbortController();
    const during = failureOf(host.call('wait', {}, { ...LIMIT, signal: controller.signal }));
    setTimeout(() => controller.abort(), 100);
    for (const failure of [before, await during]) {
      expect([failure.code, failure.message]).toEqual(['CANCELLED', "Tool 'wait' was cancelled"]);
    }
    await log.saw('cancelled by the client');
    expect((await host.call('echo', { text: 'on' }, LIMIT)).text).toBe('on');
  });

  it('reports progress', async ({ started }) => {
    const host = await started({ configs: [fixture('polite')] });
    const seen: unknown[] = [];
    await host.call('steps', {}, { ...LIMIT, onProgress: progress => seen.push(progress) });
    const step = (done: number) => ({ done, total: 3, message: `step ${done}` });
    expect(seen[0]).toEqual(step(1));
    // What comes within 100 ms is merged, but for the last.
    expect(seen.at(-1)).toEqual(step(3));
  });

  it('runs many calls at once and gives each its own answer', async ({ started }) => {
    const host = await started({ configs: [fixture('polite')] });
    const texts = Array.from({ length: 200 }, (_, index) => `number ${index} ✓`);
    const outcomes = await Promise.all(texts.map(text => host.call('echo', { text }, LIMIT)));
    expect(outcomes.map(outcome => outcome.text)).toEqual(texts);
  });

  it.for(['huge', 'huge-last'])(
    'refuses an answer over 10 MB at once and keeps the connection (%s)',
    async (kind, { started }) => {
      const host = await started({ configs: [fixture('raw', [kind])] });
      const before = (await host.call('ping', {}, LIMIT)).text;
      const failure = await failureOf(host.call('run', {}, LIMIT));
      expect([failure.code, failure.message]).toEqual([
        'TOOL_FAILED',
        expect.stringContaining('limit of 10 MB'),
      ]);
      expect((await host.call('ping', {}, LIMIT)).text).toBe(before);
    },
  );

  it('joins a character that arrives in two pieces', async ({ started }) => {
    const host = await started({ configs: [fixture('raw', ['split'])] });
    expect((await host.call('run', {}, LIMIT)).text).toBe('é');
  });

  it('refuses a result that is none, and ignores an answer nobody asked for', async ({ started }) => {
    const host = await started({
      configs: [fixture('raw', ['nonsense']), { ...fixture('raw', ['wrong-id']), name: 'wrong' }],
    });
    const failure = await failureOf(host.call('raw__run', {}, LIMIT));
    expect([failure.code, failure.message]).toEqual([
      'TOOL_FAILED',
      expect.stringContaining('Invalid result'),
    ]);
    expect((await failureOf(host.call('wrong__run', {}, { timeoutMs: 300 }))).code).toBe('TOOL_TIMEOUT');
  });

  it.for(['flood', 'junk-lines'])(
    'gives up a server that prints junk without end (%s)',
    async (kind, { started }) => {
      const host = await started({ configs: [fixture('raw', [kind])] });
      const failure = await failureOf(host.call('run', {}, { timeoutMs: 60_000 }));
      expect([failure.code, failure.message]).toEqual([
        'TOOL_FAILED',
        expect.stringContaining('64 MB of output that is not MCP'),
      ]);
    },
  );

  it('does not wait on a server that has closed its stdout or its stdin', async ({ started }) => {
    const host = await started({
      configs: ['close-stdout', 'close-stdin'].map(name => ({ ...fixture('raw', [name]), name })),
    });
    const silent = await failureOf(host.call('close-stdout__run', {}, LIMIT));
    expect(silent.message).toContain('was stopped: it closed its stdout');
    const before = (await host.call('close-stdin__ping', {}, LIMIT)).text;
    await host.call('close-stdin__run', {}, LIMIT);
    const deaf = await failureOf(host.call('close-stdin__run', { text: 'x'.repeat(1_000_000) }, LIMIT));
    expect(deaf.code).toBe('TOOL_FAILED');
    await eventually(() => host.servers()[1]?.error !== undefined, 'the loss of the pipe is seen');
    expect((await host.call('close-stdin__ping', {}, LIMIT)).text).not.toBe(before);
  });

  it('ends at its limit when the server reads nothing, and does not pile up memory', async ({ started }) => {
    const host = await started({ configs: [fixture('raw', ['deaf'])] });
    const text = 'x'.repeat(8_000_000);
    const call = () => failureOf(host.call('run', { text }, { timeoutMs: 8000 }));
    const codes = (await Promise.all(Array.from({ length: 10 }, call))).map(failure => failure.code);
    expect(codes).toContain('TOOL_TIMEOUT');
    expect(codes).toContain('TOOL_FAILED');
  });

  it('fails after close, and when nothing is configured', async ({ started }) => {
    const host = await started({ configs: [fixture('polite')] });
    await host.close();
    expect(host.servers()[0]?.state).toBe('closed');
    expect((await failureOf(host.call('echo', {}, LIMIT))).message).toBe("server 'polite' is not running");
    const empty = await started({ configs: [] });
    expect((await failureOf(empty.call('echo', {}, LIMIT))).hint).toBe('Available: none');
  });

  it('is ended by close', async ({ started }) => {
    const host = await started({ configs: [fixture('polite')] });
    const failure = failureOf(host.call('wait', {}, LIMIT));
    await host.close();
    expect((await failure).code).toBe('TOOL_FAILED');
  });

  it('can be closed while it starts', async () => {
    const host = new McpHost({ configs: [fixture('raw', ['mute'])] });
    const start = host.start();
    await host.close();
    await start;
    expect(host.servers()[0]?.state).toBe('closed');
  });
});

describe.concurrent('a server that dies', () => {
  it('in mid-call fails the call at once, and is there again for the next', async ({ started }) => {
    const host = await started({ configs: [fixture('polite')] });
    const pid = Number((await host.call('pid', {}, LIMIT)).text);
    const waiting = failureOf(host.call('wait', {}, LIMIT));
    setTimeout(() => process.kill(pid, 'SIGKILL'), 100);
    const failure = await waiting;
    // At once: before there is another.
    expect(host.servers()[0]?.state).toBe('starting');
    expect(failure.code).toBe('TOOL_FAILED');
    expect(failure.message).toBe(
      "server 'polite' ended (signal SIGKILL) during the call of 'wait'\nIts last output:\n  polite server is up",
    );
    expect(host.tools()).toHaveLength(15);
    const again = Number((await host.call('pid', {}, LIMIT)).text);
    expect(again).not.toBe(pid);
    expect(host.servers()[0]?.state).toBe('ready');
  });

  it('between calls is restarted too', async ({ started }) => {
    const host = await started({ configs: [fixture('polite')] });
    const pid = Number((await host.call('pid', {}, LIMIT)).text);
    process.kill(pid, 'SIGTERM');
    await eventually(() => host.servers()[0]?.state === 'starting', 'the crash is seen');
    expect(host.servers()[0]?.error).toContain('ended (signal SIGTERM)');
    expect((await host.call('echo', { text: 'back' }, LIMIT)).text).toBe('back');
  });

  it('again and again is given up after three restarts in a row', async ({ started }) => {
    const host = await started({ configs: [fixture('polite')] });
    for (let crash = 0; crash < 4; crash++) {
      const failure = await failureOf(host.call('exit', {}, LIMIT));
      expect(failure.message).toContain("server 'polite' ended (exit code 3) during the call of 'exit'");
    }
    expect(host.servers()[0]?.state).toBe('failed');
    const failure = await failureOf(host.call('echo', { text: 'x' }, LIMIT));
    expect(failure.message).toContain("server 'polite' is not running: ended (exit code 3)");
  });

  it('does not hold a call longer than its limit while it restarts', async ({ started }) => {
    const host = await started({ configs: [fixture('polite')] });
    await failureOf(host.call('die', {}, LIMIT));
    expect((await failureOf(host.call('echo', {}, { timeoutMs: 50 }))).code).toBe('TOOL_TIMEOUT');
  });
});

describe.concurrent('the audit log', () => {
  it('records every call with its outcome, without secrets', async ({ started }) => {
    const folder = mkdtempSync(join(tmpdir(), 'llm-host-audit-'));
    const auditFile = join(folder, 'deep', 'audit.jsonl');
    const host = await started({ configs: [fixture('polite')], auditFile });
    await host.call('echo', { text: 'hi', api_key: 'sk-1234' }, LIMIT);
    await host.call('fail', {}, LIMIT);
    await failureOf(host.call('wait', {}, { timeoutMs: 50 }));
    await failureOf(host.call('wait', {}, { ...LIMIT, signal: AbortSignal.abort() }));
    await failureOf(host.call('throw', {}, LIMIT));
    const written = readFileSync(auditFile, 'utf8');
    rmSync(folder, { recursive: true });
    const entries = written
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(entries.map(entry => entry.outcome)).toEqual([
      'ok',
      'tool_error',
      'timeout',
      'cancelled',
      'failed',
    ]);
    expect(entries[0]).toMatchObject({
      server: 'polite',
      tool: 'echo',
      arguments: { text: 'hi', api_key: '[redacted]' },
    });
    expect(written).not.toContain('sk-1234');
  });
});
