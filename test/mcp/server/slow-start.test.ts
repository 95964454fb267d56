import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect } from 'vitest';
import type { StdioServerConfig } from '../../../src/mcp/config/config.ts';
import { hostTest as it, type StartHost } from '../../fixtures/mcp/host-test.ts';
import { FIXTURES, fixture } from '../../fixtures/mcp/support.ts';

/** A start while no earlier process ran. */
const ALONE = expect.stringMatching(/^\d+$/);
/**
 * A server that writes down each start and whether an earlier process still ran, sleeps, and only then reads. It speaks one
 * of the eras and refuses other messages, or dies of them.
 */
const SERVER = `
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const [file, sleepMs, how] = process.argv.slice(1);
const runs = pid => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const before = readFileSync(file, 'utf8').split('\\n').filter(Boolean);
appendFileSync(file, process.pid + (before.some(line => runs(parseInt(line))) ? ' beside another' : '') + '\\n');
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(sleepMs));
const [era, mood] = how.split('-');
const more = era === 'new' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
const tools = { tools: [{ name: 'era', inputSchema: { type: 'object' } }] };
const info = { capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };
const known = {
  'tools/list': tools,
  'tools/call': { content: [{ type: 'text', text: era }] },
  ...(era === 'new'
    ? { 'server/discover': { supportedVersions: ['2026-07-28'], ...info } }
    : { ping: {}, initialize: { protocolVersion: '2025-06-18', ...info } }),
};
if (mood === 'mute') setInterval(() => {}, 1000);
else createInterface({ input: process.stdin }).on('line', line => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = known[method];
  if (result === undefined && mood === 'dying') process.exit(4);
  const answer = result ? { result: { ...more, ...result } } : { error: { code: -32601, message: 'no such method' } };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n');
}).on('close', () => process.exit());
`;

const folder = mkdtempSync(join(tmpdir(), 'llm-host-slow-start-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let entries = 0;

/** An entry for the server, and a line for each of its processes so far. */
function entry(name: string, how: string, sleepMs: number, startTimeoutMs: number) {
  const file = join(folder, `starts-${entries++}`);
  writeFileSync(file, '');
  const args = ['--input-type=module', '-e', SERVER, file, String(sleepMs), how];
  const config = { ...fixture('raw'), name, args, startTimeoutMs };
  return { config, starts: () => readFileSync(file, 'utf8').trim().split('\n') };
}

/** The servers after their start, and what they have logged. */
async function begun(started: StartHost, configs: readonly StdioServerConfig[]) {
  const log: string[] = [];
  const host = await started({ configs, onLog: (_server, line) => log.push(line) });
  const call = async (tool: string) => (await host.call(tool, { text: 'hi' }, { timeoutMs: 20_000 })).text;
  return { servers: host.servers(), call, log };
}

it.concurrent('servers of each era and of both that take most of their time to start: ready, with one process each', async ({
  started,
}) => {
  const [older, newer] = [entry('older', 'old', 8200, 12_000), entry('newer', 'new', 8200, 12_000)];
  const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 8200)';
  const polite = pathToFileURL(join(FIXTURES, 'polite.mjs')).href;
  const args = ['--input-type=module', '-e', `${wait}; await import('${polite}')`];
  const both = { ...fixture('polite'), args, startTimeoutMs: 12_000 };
  const { servers, call, log } = await begun(started, [older.config, newer.config, both]);
  expect(servers.map(({ state, error }) => error ?? state)).toEqual(['ready', 'ready', 'ready']);
  expect(await Promise.all(['older__era', 'newer__era', 'echo'].map(call))).toEqual(['old', 'new', 'hi']);
  expect([older.starts(), newer.starts()]).toEqual([[ALONE], [ALONE]]);
  expect(log.join('\n')).not.toContain('started again');
});

it.concurrent('one of the newer era alone, by its entry, that is slow to start: ready', async ({
  started,
}) => {
  const { config, starts } = entry('newer', 'new', 3500, 20_000);
  const { servers } = await begun(started, [{ ...config, protocol: '2026-07-28' }]);
  expect(servers).toMatchObject([{ state: 'ready', tools: 1 }]);
  expect(starts()).toEqual([ALONE]);
});

it.concurrent('one of the newer era alone, by its entry, that never answers: failed after its time', async ({
  started,
}) => {
  const { config } = entry('mute', 'new-mute', 0, 2000);
  const { servers } = await begun(started, [{ ...config, protocol: '2026-07-28' }]);
  const error = "server 'mute' did not answer within 2.0s of its start";
  expect(servers).toMatchObject([{ state: 'failed', error }]);
});

it.concurrent('one that exits at a message it does not know: a second process, after the first', async ({
  started,
}) => {
  const { config, starts } = entry('dying', 'old-dying', 0, 12_000);
  const { servers, call } = await begun(started, [config]);
  expect(servers).toMatchObject([{ state: 'ready', tools: 1 }]);
  expect(await call('era')).toBe('old');
  expect(starts()).toEqual([ALONE, ALONE]);
});

it.concurrent('one that never answers: one process for all of the time', async ({ started }) => {
  const { config, starts } = entry('mute', 'old-mute', 0, 2000);
  const { servers } = await begun(started, [config]);
  const error = "server 'mute' did not answer within 2.0s of its start";
  expect(servers).toMatchObject([{ state: 'failed', error }]);
  expect(starts()).toEqual([ALONE]);
});
