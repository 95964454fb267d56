import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, test } from 'vitest';
import { McpHost } from '../../../src/mcp/host/mcp-host.ts';
import { EraMemory } from '../../../src/mcp/server/era-memory.ts';
import { fixture } from '../../fixtures/mcp/support.ts';

let folder: string;
let file: string;
const warnings: string[] = [];
const memory = () => new EraMemory(file, message => warnings.push(message));
const SERVER = fixture('raw', ['plain']);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'llm-host-eras-'));
  file = join(folder, 'mcp-eras.json');
  warnings.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true }));

it('knows a server of the older era from one program to the next', () => {
  expect(memory().isLegacy(SERVER)).toBe(false);
  memory().note(SERVER, 'legacy', 'raw 1');
  expect(memory().isLegacy(SERVER)).toBe(true);
  expect(memory().isLegacy(fixture('raw', ['other']))).toBe(false);
  // What changes only how it is used.
  expect(memory().isLegacy({ ...SERVER, name: 'b', timeoutMs: 1 })).toBe(true);
});

it('asks again once the server is another version, and forgets one of the newer era', () => {
  memory().note(SERVER, 'legacy', 'raw 1');
  memory().note(SERVER, 'legacy', 'raw 2');
  expect(memory().isLegacy(SERVER)).toBe(false);
  memory().note(SERVER, 'legacy', 'raw 2');
  expect(memory().isLegacy(SERVER)).toBe(true);
  memory().note(SERVER, 'modern', 'raw 2');
  expect(memory().isLegacy(SERVER)).toBe(false);
});

it('writes nothing for a server of the newer era, and no more than 500 servers', () => {
  memory().note(SERVER, 'modern', 'raw 1');
  expect(existsSync(file)).toBe(false);
  const kept = memory();
  for (let i = 0; i < 520; i++) kept.note(fixture('raw', [String(i)]), 'legacy', 'raw 1');
  expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).legacy)).toHaveLength(500);
  expect(memory().isLegacy(fixture('raw', ['519']))).toBe(true);
  expect(memory().isLegacy(fixture('raw', ['0']))).toBe(false);
});

test.each(['{', 'null', '[]', '{"legacy":[]}', '{"legacy":{"a":1}}', '\u0000'])(
  'a damaged file counts as empty and is replaced: %j',
  text => {
    writeFileSync(file, text, { mode: 0o600 });
    expect(memory().isLegacy(SERVER)).toBe(false);
    memory().note(SERVER, 'legacy', 'raw 1');
    expect(memory().isLegacy(SERVER)).toBe(true);
  },
);

test('a file that others can write, and a folder that cannot be: a warning, and it goes on', () => {
  memory().note(SERVER, 'legacy', 'raw 1');
  chmodSync(file, 0o666);
  expect(memory().isLegacy(SERVER)).toBe(false);
  expect(warnings).toEqual([expect.stringContaining('other users can write to it')]);
  const nowhere = new EraMemory(join(file, 'mcp-eras.json'), message => warnings.push(message));
  nowhere.note(SERVER, 'legacy', 'raw 1');
  expect(nowhere.isLegacy(SERVER)).toBe(true);
  expect(warnings.at(-1)).toContain('cannot be written');
});

test('a server that dies when it is asked is asked once, not at every start', async () => {
  const config = fixture('raw', ['dies-at-probe'], { startTimeoutMs: 12_000 });
  const log: string[] = [];
  for (let start = 0; start < 2; start++) {
    const host = new McpHost({ configs: [config], eras: memory(), onLog: (_, line) => log.push(line) });
    try {
      await host.start();
      expect(host.servers()).toMatchObject([{ state: 'ready' }]);
    } finally {
      await host.close();
    }
  }
  expect(log.filter(line => line.includes('started again as a legacy one'))).toHaveLength(1);
});
