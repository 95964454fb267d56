import { afterEach, expect, test } from 'vitest';
import { McpHost } from '../../src/mcp/host/mcp-host.ts';
import { httpEntry, type Listening, OLD_ERA, scripted } from '../fixtures/mcp/http-servers.ts';

let server: Listening | undefined;
let host: McpHost | undefined;
afterEach(async () => {
  await host?.close();
  await server?.close();
});

/** The text of a server's prompt where 20 characters are kept. */
async function promptOf(...messages: readonly (readonly [string, string])[]): Promise<string> {
  server = await scripted({
    ...OLD_ERA,
    'prompts/get': {
      messages: messages.map(([role, text]) => ({ role, content: { type: 'text', text } })),
    },
  });
  host = new McpHost({
    configs: [httpEntry(server.url, { name: 'x', protocol: 'legacy' })],
    maxResultChars: 20,
  });
  await host.start();
  return (await host.prepareInput('/x:review', { timeoutMs: 10_000 })).text;
}

test('a prompt that fits comes whole, with other speakers named', async () => {
  expect(await promptOf(['user', 'Review this.'], ['assistant', 'Which?'])).toBe(
    'Review this.\n\nAssistant: Which?',
  );
});

test('a prompt that is too long says how much of it is cut off', async () => {
  expect(await promptOf(['user', 'x'.repeat(50)])).toBe(`${'x'.repeat(20)}\n... [cut: 20 of 50 characters]`);
});

test('no character of it is cut in half', async () => {
  expect(await promptOf(['user', `x${'😀'.repeat(20)}`])).toBe(
    `x${'😀'.repeat(9)}\ufffd\n... [cut: 20 of 41 characters]`,
  );
});

test('of several messages those that no longer fit are counted', async () => {
  const [user, other] = ['user', 'assistant'];
  expect(await promptOf([user, 'a'.repeat(15)], [other, 'b'.repeat(30)], [user, 'c'], [user, 'd'])).toBe(
    `${'a'.repeat(15)}\n\nAssistant: bbb\n... [cut: 3 of 30 characters]\n\n... [cut: 2 of 4 messages]`,
  );
});

test('what a server calls the speaker hides nothing, and is no way around the limit', async () => {
  const text = await promptOf([`\u001b[31mred\u001b[0m${'x'.repeat(500)}`, 'hi'], ['user', 'no']);
  expect(text).toMatch(/^Redx{97} \.\.\.: hi\n\n\.\.\. \[cut: 1 of 2 messages\]$/);
});
