import { expect, test } from 'vitest';
import { MCP_LIMITS } from '../../../src/mcp/config/limits.ts';
import { Connection, type ConnectionOptions } from '../../../src/mcp/server/connection.ts';
import { probingLimitMs, questionLimitMs, startLimitMs } from '../../../src/mcp/server/start-limits.ts';
import { fixture } from '../../fixtures/mcp/support.ts';

test.each([
  [{}, false, 30_000],
  [{}, true, 180_000],
  [{ timeoutMs: 5000 }, true, 5000],
  [{ timeoutMs: 5000, startTimeoutMs: 60_000 }, false, 60_000],
])('a start with %j, installing: %s, has %i ms', (limits, installing, ms) => {
  expect(startLimitMs(limits, installing)).toBe(ms);
});

test('the first process has two thirds of a short time, and all but 10 s of a long one', () => {
  expect([12_000, 30_000, 60_000, 180_000].map(probingLimitMs)).toEqual([8000, 20_000, 50_000, 170_000]);
});

test('the older greeting comes after 3 s, to a local server after a third of a short time', () => {
  const after = (transport: 'stdio' | 'http', startTimeoutMs?: number) =>
    questionLimitMs({ transport, ...(startTimeoutMs !== undefined && { startTimeoutMs }) });
  expect([1200, 6000, 180_000, undefined].map(ms => after('stdio', ms))).toEqual([400, 2000, 3000, 3000]);
  expect(after('http', 1200)).toBe(3000);
});

test('of a server that does not answer, the whole time that it had is told', async () => {
  const nothing = () => undefined;
  const options: ConnectionOptions = {
    clientInfo: { name: 'test', version: '1' },
    workingDirectory: '/',
    elicit: nothing,
    onLog: nothing,
    onTools: nothing,
    onExtras: nothing,
    onLeftOut: nothing,
    onUpdated: nothing,
    onEnd: nothing,
    onDeclined: nothing,
    limits: MCP_LIMITS,
  };
  const connection = new Connection({ ...fixture('raw', ['mute']), name: 'mute' }, options);
  await expect(connection.start(new AbortController().signal, 300, 180_000)).rejects.toThrow(
    "server 'mute' did not answer within 180.0s of its start",
  );
});
