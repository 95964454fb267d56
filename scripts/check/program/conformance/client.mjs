// The client that the conformance suite drives: the host's connection layer, with a user who agrees to everything.
// Usage: node client.mjs <server url>; the scenario's name and context come in the environment.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { McpHost } = await import(new URL('../../../../dist/mcp/mcp-host.js', import.meta.url));
const { OAuthStore } = await import(new URL('../../../../dist/mcp/oauth/store.js', import.meta.url));

const url = process.argv.at(-1);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const folder = mkdtempSync(join(tmpdir(), 'llm-host-conformance-'));

/** Instead of a browser: the suite's login page redirects back immediately. */
const authorizer = {
  redirectUrl: 'http://127.0.0.1:43210/callback',
  authorize: async address => {
    const response = await fetch(address, { redirect: 'manual' });
    return new URL(response.headers.get('location')).searchParams;
  },
};
const oauth = {
  'auth/basic-cimd': { clientId: 'https://conformance-test.local/client-metadata.json' },
  // Its metadata names an issuer other than its address, which is refused unless the entry allows it.
  'auth/2025-03-26-oauth-metadata-backcompat': { anyIssuer: true },
  'auth/pre-registration': { clientId: context.client_id, clientSecret: context.client_secret },
}[scenario];

const host = new McpHost({
  configs: [
    { name: 'test', transport: 'http', url, headers: {}, localAccess: 'always', ...(oauth && { oauth }) },
  ],
  oauth: { store: new OAuthStore(folder), authorizer },
  onLog: (_server, line) => process.stderr.write(`${line}\n`),
});
host.setElicitation(async () => ({ action: 'accept', content: {} }));
try {
  await host.start();
  const [state] = host.servers();
  if (state.error) throw new Error(state.error);
  for (const { definition } of host.tools()) {
    const args = { add_numbers: { a: 5, b: 3 } }[definition.function.name] ?? {};
    const outcome = await host.call(definition.function.name, args, { timeoutMs: 20_000 });
    process.stdout.write(`${definition.function.name}: ${outcome.text}\n`);
  }
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  await host.close();
  rmSync(folder, { recursive: true, force: true });
}
