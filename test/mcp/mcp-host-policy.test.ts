import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { McpHost, type McpHostParts } from '../../src/mcp/host/mcp-host.ts';
import { Redactor } from '../../src/mcp/policy/audit-redact.ts';
import { TrustStore } from '../../src/mcp/trust/store.ts';
import { ToolTrust } from '../../src/mcp/trust/tools.ts';
import { fixture } from '../fixtures/mcp/support.ts';
import { tempFolder } from '../model/temp-folder.ts';

const LIMIT = { timeoutMs: 20_000 };

async function started(options: McpHostParts): Promise<McpHost> {
  const host = new McpHost(options);
  onTestFinished(() => host.close());
  await host.start();
  return host;
}
const offered = (host: McpHost) => host.tools().map(tool => tool.definition.function.name);
const failure = (call: Promise<unknown>) =>
  call.then(
    () => 'made',
    (error: Error) => error.message,
  );

it('offers what entry and policy let through, and a name is free when its other owner is hidden', async () => {
  const host = await started({
    configs: [
      { ...fixture('polite'), name: 'a', allow: ['echo', 'pid'] },
      { ...fixture('polite'), name: 'b', deny: ['*'], allow: ['echo'] },
      { ...fixture('polite'), name: 'c', allow: ['echo', 'cwd', 'env'] },
    ],
    policy: { blocked: ['c/echo', 'ENV'] },
  });
  expect(offered(host)).toEqual(['echo', 'pid', 'cwd']);
  expect(await host.call('echo', { text: 'x' }, LIMIT)).toEqual({ text: 'x', isError: false });
  expect(await failure(host.call('env', {}, LIMIT))).toBe("There is no tool 'env'");
});

it('asks, refuses and limits before the server hears of a call, and records it without secrets', async () => {
  const auditFile = join(tempFolder(), 'audit.jsonl');
  const host = await started({
    configs: [{ ...fixture('polite'), approval: [{ pattern: 'pid', approval: 'ask' }] }],
    policy: { ratePerMinute: 3 },
    auditFile,
    redactor: new Redactor(['hunter2-value']),
  });
  expect(await failure(host.call('pid', {}, LIMIT))).toContain('nobody can be asked');
  host.setApprover(request => Promise.resolve(request.arguments.ok === true ? 'yes' : 'no'));
  expect(await failure(host.call('pid', {}, LIMIT))).toContain('The user declined');
  expect(await failure(host.call('pid', { ok: true, note: 'hunter2-value' }, LIMIT))).toBe('made');
  expect(await failure(host.call('echo', { text: 'x' }, LIMIT))).toContain(
    'limit of 3 tool calls per minute',
  );
  const lines = readFileSync(auditFile, 'utf8').trimEnd().split('\n');
  expect(lines.map(line => JSON.parse(line)).map(({ tool, outcome }) => [tool, outcome])).toEqual([
    ['pid', 'refused'],
    ['pid', 'refused'],
    ['pid', 'ok'],
    ['echo', 'refused'],
  ]);
  expect(lines.join()).not.toContain('hunter2');
});

it('tells of a tool that is not what it was', async () => {
  const store = new TrustStore(join(tempFolder(), 'trust.json'), expect.unreachable);
  const config = fixture('polite');
  const toolTrust = new ToolTrust(store);
  toolTrust.review(config, [{ name: 'echo', description: 'Something else.' }]);
  const host = await started({ configs: [config], toolTrust });
  expect(host.takeNotices()).toContainEqual(
    expect.stringContaining("Tool 'echo' of server 'polite' has changed"),
  );
});
