import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listen } from '../fixtures/mcp/http-servers.ts';
import { compileSources, FIXTURES } from '../fixtures/mcp/support.ts';

let compiled = '';
let root = '';

beforeAll(() => {
  compiled = compileSources('servers/calculator.ts', 'servers/files.ts', 'servers/research.ts');
  root = mkdtempSync(join(tmpdir(), 'llm-host-first-major-'));
});
afterAll(() => {
  rmSync(compiled, { recursive: true, force: true });
  rmSync(root, { recursive: true, force: true });
});

async function withClient<T>(args: readonly string[], use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ name: 'first-major', version: '1' });
  const command = process.execPath;
  await client.connect(
    new StdioClientTransport({ command, args: [join(FIXTURES, 'bundled.mjs'), compiled, ...args] }),
  );
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

it("the SDK's first major drives the calculator", async () => {
  await withClient(['calculator'], async client => {
    expect((await client.listTools()).tools).toHaveLength(6);
    const result = await client.callTool({ name: 'divide', arguments: { a: 1, b: 0 } });
    expect(result).toMatchObject({ isError: true });
    const sum = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } });
    expect(sum.content).toEqual([{ type: 'text', text: '3' }]);
  });
});

it("the SDK's first major drives the files server", async () => {
  await withClient(['files', root], async client => {
    await client.callTool({ name: 'write_file', arguments: { filename: 'a.txt', content: 'ü' } });
    const read = await client.callTool({ name: 'read_file', arguments: { filename: 'a.txt' } });
    expect(read.content).toEqual([{ type: 'text', text: 'ü' }]);
  });
});

it("the SDK's first major drives the research server", async () => {
  const empty = '<feed xmlns="http://www.w3.org/2005/Atom"></feed>';
  const stand = await listen((_request, response) => response.end(empty));
  try {
    await withClient(
      ['research', `http://127.0.0.1:${stand.port}/api`, join(root, 'papers')],
      async client => {
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name)).toEqual(['search_papers', 'extract_info']);
        const none = await client.callTool({ name: 'search_papers', arguments: { topic: 'nothing' } });
        expect(none.content).toEqual([{ type: 'text', text: 'No papers found.' }]);
        const wrong = await client.callTool({ name: 'extract_info', arguments: { paper_id: '../x' } });
        expect(wrong).toMatchObject({ isError: true });
      },
    );
  } finally {
    await stand.close();
  }
});
