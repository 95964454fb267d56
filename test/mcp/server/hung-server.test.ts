import { expect } from 'vitest';
import { hostTest as it } from '../../fixtures/mcp/host-test.ts';
import { eventually, fixture, SHORT_WAITS } from '../../fixtures/mcp/support.ts';

/** A server of one of the eras, which answers nothing more once `hang` is called, and no call of `slow`. */
const SERVER = `
import { createInterface } from 'node:readline';
const isNew = process.argv[1] === 'new';
const more = isNew ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
const say = fields => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...fields }) + '\\n');
const tools = ['hang', 'slow', 'pid'].map(name => ({ name, inputSchema: { type: 'object' } }));
let hangs = false;
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line);
  const answer = result => say({ id, result: { ...more, ...result } });
  hangs ||= params?.name === 'hang';
  if (hangs || id === undefined || params?.name === 'slow') return;
  if (method === 'server/discover' && isNew)
    answer({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } });
  else if (method === 'initialize' && !isNew)
    answer({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
  else if (method === 'tools/list') answer({ tools });
  else if (method === 'tools/call') answer({ content: [{ type: 'text', text: String(process.pid) }] });
  else if (method === 'ping' && !isNew) answer({});
  else say({ id, error: { code: -32601, message: 'no such method' } });
}).on('close', () => process.exit());
`;

const SHORT = { timeoutMs: 300 };
const LIMIT = { timeoutMs: 20_000 };

it.concurrent.for(['old', 'new'])(
  'a server of the %s era that hangs is restarted, one that is slow is not',
  async (era, { started }) => {
    const args = ['--input-type=module', '-e', SERVER, era];
    const configs = [{ ...fixture('polite'), name: 'hanging', args }];
    const host = await started({ configs, limits: SHORT_WAITS });
    const pid = async () => (await host.call('pid', {}, LIMIT)).text;
    const first = await pid();
    await expect(host.call('slow', {}, SHORT)).rejects.toThrow('timed out after 0.3s');
    expect(await pid()).toBe(first);
    await expect(host.call('hang', {}, SHORT)).rejects.toThrow('timed out after 0.3s');
    await eventually(() => host.servers()[0]?.state !== 'ready', 'it is found to hang');
    expect(await pid()).not.toBe(first);
    expect(host.takeNotices().join('\n')).toContain('did not answer any more and was stopped');
  },
);
