import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadMcpConfig } from '../../src/mcp/config/config.ts';
import { McpHost } from '../../src/mcp/host/mcp-host.ts';
import type { ElicitationRequest } from '../../src/mcp/server/elicitation.ts';
import { httpEntry } from '../fixtures/mcp/http-servers.ts';
import { everythingOverHttp, referenceEntries } from '../fixtures/mcp/reference-servers.ts';
import { eventually } from '../fixtures/mcp/support.ts';

const LIMIT = { timeoutMs: 60_000 };
let folder = '';
const closers: (() => unknown)[] = [];

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'llm-host-reference-')));
  writeFileSync(join(folder, 'note.txt'), 'kept here');
});
afterAll(async () => {
  for (const close of closers) await close();
  rmSync(folder, { recursive: true, force: true });
});

async function stdioHost(): Promise<McpHost> {
  const text = JSON.stringify({ mcpServers: referenceEntries(folder) });
  return new McpHost({
    configs: loadMcpConfig(text, join(folder, 'mcp.json')).servers,
    workingDirectory: folder,
  });
}

async function httpHost(mode: 'streamableHttp' | 'sse'): Promise<McpHost> {
  const { url, child } = await everythingOverHttp(mode);
  closers.push(() => child.kill('SIGKILL'));
  return new McpHost({
    configs: [httpEntry(url, { name: 'everything', transport: mode === 'sse' ? 'sse' : 'http' })],
    workingDirectory: folder,
  });
}

describe.each<[string, () => Promise<McpHost>]>([
  ['all four over stdio', stdioHost],
  ['server-everything over Streamable HTTP', () => httpHost('streamableHttp')],
  ['server-everything over SSE', () => httpHost('sse')],
])('%s', (title, open) => {
  const all = title.startsWith('all');
  const asked: ElicitationRequest[] = [];
  let host: McpHost;
  const text = async (tool: string, args = {}) => (await host.call(tool, args, LIMIT)).text;

  beforeAll(async () => {
    host = await open();
    closers.unshift(() => host.close());
    host.setElicitation(request => {
      asked.push(request);
      return Promise.resolve({ action: 'accept', content: { name: 'Ada' } });
    });
    await host.start();
  });

  it('starts, and lists tools, prompts and resources', async () => {
    const states = host.servers().map(({ name, state, error }) => `${name} ${state} ${error ?? ''}`.trim());
    expect(states).toEqual(
      all
        ? ['everything ready', 'filesystem ready', 'memory ready', 'sequential-thinking ready']
        : ['everything ready'],
    );
    // Some tools come after the handshake, with list_changed.
    await eventually(
      () => host.tools().some(({ tool }) => tool === 'trigger-elicitation-request'),
      'late tools',
    );
    await eventually(() => host.tools().some(({ tool }) => tool === 'get-roots-list'), 'the tool for roots');
    expect(host.tools().length).toBeGreaterThanOrEqual(all ? 37 : 14);
    expect(host.tools().map(({ tool }) => tool)).toContain('simulate-research-query');
    await eventually(
      () => host.prompts().length >= 4 && host.resources().length >= 7,
      'prompts and resources',
    );
  });

  it('shows each kind of result block', async () => {
    expect(await text('echo', { message: 'hi' })).toContain('hi');
    expect(await text('get-tiny-image')).toMatch(/\[image image\/png, [\d.]+ kB, saved as \S+\/1\.png\]/);
    expect(await text('get-structured-content', { location: 'Chicago' })).toContain('temperature');
    expect(await text('get-resource-reference', { resourceType: 'Text', resourceId: 1 })).toContain(
      '[resource demo://',
    );
    expect(await text('get-resource-links', { count: 2 })).toContain('[link demo://');
    expect(await text('get-annotated-message', { messageType: 'error' })).toContain('Error');
    expect(await host.call('get-sum', { a: 'x' }, LIMIT)).toMatchObject({ isError: true });
  });

  it('shows the progress of four steps', async () => {
    const seen: unknown[] = [];
    const options = { ...LIMIT, onProgress: (progress: unknown) => seen.push(progress) };
    await host.call('trigger-long-running-operation', { duration: 0.4, steps: 4 }, options);
    // The last may arrive with the answer, which ends the listening.
    expect(seen.slice(0, 3)).toEqual([1, 2, 3].map(done => ({ done, total: 4 })));
  });

  it('asks the user, tells its roots, runs prompts and attaches resources', async () => {
    expect(await text('trigger-elicitation-request')).toContain('Ada');
    expect(asked[0]?.fields.length).toBeGreaterThan(5);
    expect(await text('get-roots-list')).toContain(folder);
    const { text: prompt } = await host.prepareInput('/everything:args-prompt city="New York"', LIMIT);
    expect(prompt).toBe("What's weather in New York?");
    await expect(host.prepareInput('/everything:args-prompt', LIMIT)).rejects.toThrow('needs city');
    await expect(host.prepareInput('/everything:arg-prompt city=x', LIMIT)).rejects.toThrow(
      "no prompt 'arg-prompt'",
    );
    const uri = host.resources().find(({ template }) => !template)?.uri as string;
    const prepared = await host.prepareInput(`Sum up @everything:${uri}, please`, LIMIT);
    expect(prepared.text).toContain(`[resource ${uri}`);
    expect(prepared.notices[0]).toContain(`Attached everything:${uri}`);
    await expect(host.prepareInput('see @everything:demo://nothing', LIMIT)).rejects.toThrow(
      'demo://nothing',
    );
  });

  // Over HTTP server-everything stands alone.
  if (all) {
    it('reaches the other three', async () => {
      expect(await text('read_text_file', { path: join(folder, 'note.txt') })).toBe('kept here');
      expect(await text('read_text_file', { path: '/etc/hostname' })).toMatch(/denied|outside/i);
      const entity = { name: 'Ada', entityType: 'person', observations: ['wrote programs'] };
      expect(await text('create_entities', { entities: [entity] })).toContain('wrote programs');
      const thought = { thought: 'one', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
      expect(await text('sequentialthinking', thought)).toContain('thoughtNumber');
    });
  }

  it('is changed in a running session', async () => {
    await host.disable('everything');
    expect(host.tools().some(({ server }) => server === 'everything')).toBe(false);
    expect(host.servers()[0]?.state).toBe('disabled');
    expect((await host.enable('everything')).state).toBe('ready');
    expect(await text('echo', { message: 'again' })).toContain('again');
    expect((await host.restart('everything')).state).toBe('ready');
    await host.remove('everything');
    expect(host.servers().some(({ name }) => name === 'everything')).toBe(false);
    await expect(host.restart('everythin')).rejects.toThrow("there is no server 'everythin'");
  });
});
