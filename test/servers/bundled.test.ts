import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServerConfig } from '../../src/mcp/config/config.ts';
import { McpHost } from '../../src/mcp/host/mcp-host.ts';
import { listen } from '../fixtures/mcp/http-servers.ts';
import { compileSources, fixture } from '../fixtures/mcp/support.ts';

const LIMIT = { timeoutMs: 20_000 };
let compiled = '';
let root = '';

beforeAll(() => {
  compiled = compileSources('servers/calculator.ts', 'servers/files.ts', 'servers/research.ts');
  root = mkdtempSync(join(tmpdir(), 'llm-host-bundled-'));
});
afterAll(() => {
  rmSync(compiled, { recursive: true, force: true });
  rmSync(root, { recursive: true, force: true });
});

function bundled(name: string, ...args: string[]): ServerConfig {
  return { ...fixture('bundled', [compiled, name, ...args]), name };
}

it('serves both bundled servers to the host as real processes', async () => {
  const host = new McpHost({ configs: [bundled('calculator'), bundled('files', root)] });
  await host.start();
  try {
    expect(host.servers().map(({ state, tools }) => [state, tools])).toEqual([
      ['ready', 6],
      ['ready', 4],
    ]);
    expect(host.tools().map(tool => tool.definition.function.name)).toEqual([
      ...['add', 'subtract', 'multiply', 'divide', 'power', 'square_root'],
      ...['list_files', 'read_file', 'write_file', 'delete_file'],
    ]);
    expect(
      host
        .tools()
        .filter(tool => !tool.readOnly)
        .map(tool => tool.tool),
    ).toEqual(['write_file', 'delete_file']);
    expect(JSON.stringify(host.tools()[0]?.definition)).toBe(
      '{"type":"function","function":{"name":"add","description":"Add two numbers.",' +
        '"parameters":{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}}}',
    );
    expect(await host.call('add', { a: 17, b: 25 }, LIMIT)).toEqual({ text: '42', isError: false });
    expect(await host.call('divide', { a: 1, b: 0 }, LIMIT)).toEqual({
      text: 'Error: Division by zero is not allowed.',
      isError: true,
    });
    await host.call('write_file', { filename: 'n.txt', content: 'hi' }, LIMIT);
    expect(readFileSync(join(root, 'n.txt'), 'utf8')).toBe('hi');
    expect((await host.call('read_file', { filename: '../n.txt' }, LIMIT)).isError).toBe(true);
  } finally {
    const begun = Date.now();
    await host.close();
    // Both leave by themselves when their stdin ends, without SIGTERM.
    expect(Date.now() - begun).toBeLessThan(3000);
  }
});

it('a server that cannot start says why', async () => {
  const host = new McpHost({ configs: [bundled('files', join(root, 'none'))] });
  await host.start();
  expect(host.servers()[0]?.error).toContain(`The root ${join(root, 'none')} is not a folder.`);
  await host.close();
});

it.each(['legacy', '2026-07-28'] as const)(
  '%s: a search that is cancelled ends its request',
  async protocol => {
    let left = 0;
    const stand = await listen((_request, response) => response.on('close', () => left++));
    const research = bundled('research', `http://127.0.0.1:${stand.port}/api`, join(root, 'papers'));
    const host = new McpHost({ configs: [{ ...research, protocol }] });
    try {
      await host.start();
      const cancel = new AbortController();
      const call = host.call('search_papers', { topic: 'x' }, { ...LIMIT, signal: cancel.signal });
      await expect.poll(() => stand.requests.length, { timeout: 10_000 }).toBe(1);
      cancel.abort();
      await expect(call).rejects.toThrow('cancelled');
      await expect.poll(() => left, { timeout: 5000 }).toBe(1);
    } finally {
      await host.close();
      await stand.close();
    }
  },
);

it('finishes a write that is running when its client goes', async () => {
  const server = spawn(process.execPath, [...fixture('bundled').args, compiled, 'files', root, 'exit'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const say = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'test', version: '1' };
  say({
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  });
  say({ method: 'notifications/initialized' });
  const args = { filename: 'last.txt', content: 'x'.repeat(1_000_000) };
  say({ id: 1, method: 'tools/call', params: { name: 'write_file', arguments: args } });
  server.stdin.end();
  await once(server, 'exit');
  expect(server.exitCode).toBe(0);
  expect(readdirSync(root).filter(name => name.endsWith('.tmp'))).toEqual([]);
  expect(readFileSync(join(root, 'last.txt'))).toHaveLength(1_000_000);
});
