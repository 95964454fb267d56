import { afterEach, expect, it } from 'vitest';
import { McpHost } from '../../src/mcp/host/mcp-host.ts';
import { fixture } from '../fixtures/mcp/support.ts';

const FAULT = 'mcp.json:3:5: "command" is missing';
const FIXED = { ...fixture('polite'), name: 'fs' };
let opened: McpHost | undefined;

afterEach(() => opened?.close());

/** A host with one entry that could not be used, and who listens to it. */
function broken() {
  const host = new McpHost({ configs: [], failures: [{ name: 'fs', error: FAULT }] });
  opened = host;
  let changes = 0;
  host.onChange(() => changes++);
  return { host, changes: () => changes };
}

it('an entry that could not be used can be removed, once', async () => {
  const { host, changes } = broken();
  await host.remove('fs');
  expect([host.servers(), changes()]).toEqual([[], 1]);
  await expect(host.remove('fs')).rejects.toMatchObject({
    code: 'USAGE',
    message: "there is no server 'fs'",
  });
});

it('a server can be added in its place, and that name is taken then', async () => {
  const { host } = broken();
  expect((await host.add(FIXED)).state).toBe('ready');
  expect(host.servers().map(({ name, state }) => [name, state])).toEqual([['fs', 'ready']]);
  await expect(host.add(FIXED)).rejects.toThrow("server 'fs' already exists");
  expect((await host.restart('fs')).state).toBe('ready');
});

it.each(['enable', 'disable', 'restart'] as const)('%s says what is wrong with it', async verb => {
  const { host } = broken();
  await expect(host[verb]('fs')).rejects.toMatchObject({
    code: 'USAGE',
    message: "the entry of server 'fs' cannot be used",
    hint: FAULT,
  });
});

it('a name that is nearly that of such an entry is corrected', async () => {
  const { host } = broken();
  await expect(host.remove('fss')).rejects.toMatchObject({ hint: "Did you mean 'fs'?" });
});
