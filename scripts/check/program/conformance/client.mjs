// The client that the conformance suite drives: the host's connection layer, with a user who agrees to everything.
// Usage: node client.mjs <server url>; the scenario's name and context come in the environment.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { McpHost } = await import(new URL('../../../../dist/mcp/host/mcp-host.js', import.meta.url));
const { Connection } = await import(new URL('../../../../dist/mcp/server/connection.js', import.meta.url));
const { MCP_LIMITS } = await import(new URL('../../../../dist/mcp/config/limits.js', import.meta.url));
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

const config = {
  name: 'test',
  transport: 'http',
  url,
  headers: {},
  localAccess: 'always',
  ...(oauth && { oauth }),
};

/** The calls that the suite asks for, or one of every tool. */
function calls(tools) {
  if (Array.isArray(context.toolCalls))
    return context.toolCalls.map(call => ({ name: call.name, args: call.arguments }));
  const known = { add_numbers: { a: 5, b: 3 } };
  return tools.map(({ name }) => ({ name, args: known[name] ?? {} }));
}

/** Sends a schema back as the connection got it; the host then leaves out what a model does not need. */
async function echoSchema() {
  const nothing = () => undefined;
  const connection = new Connection(config, {
    clientInfo: { name: 'llm-host', version: '0' },
    workingDirectory: folder,
    elicit: nothing,
    onLog: console.error,
    onEnd: nothing,
    onTools: nothing,
    onExtras: nothing,
    onDeclined: nothing,
    onLeftOut: nothing,
    limits: MCP_LIMITS,
  });
  const tools = await connection.start(AbortSignal.timeout(20_000), 20_000, 20_000);
  const named = name => tools.find(tool => tool.name === name);
  const schema = named('json_schema_2020_12_tool')?.inputSchema;
  await connection.call(named('json_schema_echo'), { schema }, { signal: AbortSignal.timeout(20_000) });
  await connection.close();
}

const host = new McpHost({
  configs: [config],
  oauth: { store: new OAuthStore(folder), authorizer },
  onLog: (_server, line) => process.stderr.write(`${line}\n`),
});
host.setElicitation(async () => ({ action: 'accept', content: {} }));
try {
  if (scenario === 'json-schema-2020-12-preservation') await echoSchema();
  await host.start();
  const [state] = host.servers();
  if (state.error) throw new Error(state.error);
  const tools = host.tools().map(({ tool }) => ({ name: tool }));
  for (const { name, args } of calls(tools)) {
    const outcome = await host.call(name, args, { timeoutMs: 20_000 }).catch(error => {
      // Its only tool cannot be called: the suite looks whether the schema's address was visited.
      if (scenario !== 'json-schema-ref-no-deref') throw error;
      return { text: error.message };
    });
    process.stdout.write(`${name}: ${outcome.text}\n`);
  }
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  await host.close();
  rmSync(folder, { recursive: true, force: true });
}
