// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of mcp.json look like that
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { loadMcpConfig } from '../../../src/mcp/config/config.ts';
import {
  KNOWN_KEYS,
  NEUTRAL_KEYS,
  REFUSED_KEYS,
  SERVER_KEYS,
  TOP_KEYS,
} from '../../../src/mcp/config/keys.ts';
import { parseJsonWithComments } from '../../../src/text/json/json-with-comments.ts';

const root = new URL('../../../', import.meta.url);
const schema = JSON.parse(readFileSync(new URL('mcp.schema.json', root), 'utf8'));
const validate = new Ajv2020({ strict: false, allErrors: true }).compile(schema);

const SCOPE = { env: { KEY: 'k' }, workspaceFolder: '/p', userHome: '/h', cwd: '/c', input: () => 'value' };

/** The loader has nothing to say about it. */
function loads(text: string): boolean {
  const { failures, warnings } = loadMcpConfig(text, '/p/mcp.json', SCOPE);
  return failures.length + warnings.length === 0;
}

const program = { command: 'run' };
const address = { url: 'https://example.com/mcp' };
const entry = (value: unknown) => ({ servers: { x: value } });

const GOOD: unknown[] = [
  { servers: {} },
  { $schema: './mcp.schema.json', servers: { a: program, b: address } },
  { mcpServers: { a: program }, mcp_servers: { b: program }, mcp: { c: program } },
  { servers: [{ name: 'a', ...program }, address] },
  { servers: {}, inputs: [{ type: 'promptString', id: 'key', description: 'Key', password: true }] },
  { servers: {}, inputs: [{ type: 'pickString', id: 'a', options: ['x', { label: 'Y', value: 'y' }] }] },
  { servers: {}, inputs: [{ type: 'command', id: 'a', command: 'x' }] },
  entry({ ...program, args: ['a', '${KEY}'], env: { A: 'x', B: 1, C: null }, cwd: '${userHome}' }),
  entry({ command: ['run', 'a'], type: 'local', environment: {} }),
  entry({ cmd: 'run', envs: { A: '1' }, transport: 'STDIO' }),
  entry({ ...program, timeout: 30_000, startupTimeout: 1000, disabled: false, enabled: true }),
  entry({ ...program, tool_timeout_sec: 60, init_timeout: 5 }),
  entry({ ...program, request_timeout_ms: 5000, startup_timeout_sec: 1 }),
  entry({ ...program, allow: ['read_*'], deny: ['x'], approval: 'ask', protocol: 'auto' }),
  entry({ ...program, approval: { 'delete_*': 'never' } }),
  entry({ ...program, allowedTools: [], excludedTools: [] }),
  entry({ ...program, includeTools: ['a'], excludeTools: ['b'] }),
  entry({ ...program, enabled_tools: ['a'], disabled_tools: ['b'] }),
  entry({
    ...program,
    disabledTools: ['b'],
    description: 'x',
    gallery: true,
    autoApprove: [],
    sandboxEnabled: false,
  }),
  entry({ disabled: true }),
  entry({ disabled: true, command: 7, whatever: 1 }),
  entry({ enabled: false, url: 'ftp://x' }),
  entry({ ...address, headers: { Authorization: 'Bearer ${input:key}' }, allowLocalNetwork: true }),
  entry({ ...address, type: 'streamable-http', oauth: { clientId: 'a', callbackPort: 8000 } }),
  entry({ ...address, oauth: { anyIssuer: true } }),
  entry({ httpUrl: 'https://example.com', http_headers: {}, oauth: false }),
  entry({ serverUrl: 'http://example.com', type: 'sse' }),
  entry({ url: '${env:MISSING:-https://example.com}', type: 'remote' }),
  entry({ ...address, type: 'streamableHttp' }),
  entry({ ...address, type: 'streamable_http' }),
  entry({ ...address, transport: 'http-sse' }),
];

const BAD: unknown[] = [
  {},
  { severs: {} },
  { servers: {}, other: 1 },
  { servers: 'none' },
  { servers: { '': program } },
  { servers: { [`x${'y'.repeat(128)}`]: program } },
  { servers: Array.from({ length: 257 }, (_, index) => ({ name: String(index), ...program })) },
  { servers: {}, inputs: {} },
  { servers: {}, inputs: [{ type: 'promptString' }] },
  { servers: {}, inputs: [{ type: 'promptString', id: 'a b' }] },
  { servers: {}, inputs: [{ type: 'guess', id: 'a' }] },
  { servers: {}, inputs: [{ type: 'pickString', id: 'a' }] },
  { servers: {}, inputs: [{ type: 'pickString', id: 'a', options: [] }] },
  { servers: {}, inputs: [{ type: 'promptString', id: 'a', password: 'yes' }] },
  { servers: {}, inputs: [{ type: 'promptString', id: 'a', default: 1 }] },
  ...[
    'run',
    null,
    {},
    { type: 'stdio' },
    { type: 'http' },
    { ...program, arg: [] },
    { ...program, args: 'a' },
    { ...program, args: [1] },
    { ...program, env: [] },
    { ...program, env: { A: true } },
    { ...program, env: { 'A=B': 'x' } },
    { ...program, cwd: '' },
    { ...program, envFile: 1 },
    { ...program, type: 'http' },
    { ...program, type: 'pigeon' },
    { ...program, timeout: 30 },
    { ...program, timeout: '30s' },
    { ...program, timeout: 1e9 },
    { ...program, tool_timeout: 0 },
    { ...program, allow: 'x' },
    { ...program, deny: [''] },
    { ...program, approval: 'maybe' },
    { ...program, approval: { a: 1 } },
    { ...program, protocol: 'x' },
    { ...program, disabled: 'yes' },
    { ...program, headers: {} },
    { ...program, allowLocalNetwork: true },
    { ...program, sandboxEnabled: true },
    { ...program, ...address },
    { command: ' ' },
    { command: [] },
    { command: ['run', 1] },
    { ...address, type: 'stdio' },
    { ...address, args: [] },
    { ...address, env: {} },
    { ...address, headers: { A: 1 } },
    { ...address, headers: { 'a b': 'x' } },
    { ...address, oauth: true },
    { ...address, oauth: { callbackPort: 'x' } },
    { ...address, oauth: { anyIssuer: 'yes' } },
    { ...address, headersHelper: 'run' },
    { url: 'ftp://example.com' },
    { url: 7 },
    { url: '' },
  ].map(entry),
];

it.each(GOOD)('schema and loader accept %j', value => {
  expect([validate(value), validate.errors]).toEqual([true, null]);
  expect(loadMcpConfig(JSON.stringify(value), '/p/mcp.json', SCOPE)).toMatchObject({
    failures: [],
    warnings: [],
  });
});

it.each(BAD)('schema and loader complain of %j', value => {
  expect([validate(value), loads(JSON.stringify(value))]).toEqual([false, false]);
});

it('knows the same keys as the loader', () => {
  const { program: stdio, address: http, settings } = schema.$defs;
  const keys = [stdio, http, settings].flatMap(part => Object.keys(part.properties));
  expect([...new Set(keys)].sort()).toEqual(
    [...new Set([...KNOWN_KEYS, ...NEUTRAL_KEYS, ...Object.keys(REFUSED_KEYS)])].sort(),
  );
  expect(Object.keys(schema.properties).sort()).toEqual([...SERVER_KEYS, ...TOP_KEYS].sort());
});

it('fits the example, which names it', () => {
  const text = readFileSync(new URL('mcp.json.example', root), 'utf8');
  const parsed = parseJsonWithComments(text);
  const value = parsed.ok ? parsed.value : undefined;
  expect([validate(value), validate.errors]).toEqual([true, null]);
  expect(value).toMatchObject({ $schema: './mcp.schema.json' });
  const { files } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  expect(files).toContain('mcp.schema.json');
});

it('fits the example of the documentation', () => {
  const page = readFileSync(new URL('docs/mcp.md', root), 'utf8');
  const [, text = ''] = /```jsonc\n(\{[\s\S]*?\n\})\n```/.exec(page) ?? [];
  const parsed = parseJsonWithComments(text);
  expect([validate(parsed.ok && parsed.value), validate.errors]).toEqual([true, null]);
  const { failures, warnings, servers } = loadMcpConfig(text, '/p/mcp.json', SCOPE);
  // The env file that it names is not there.
  expect([failures.map(({ name }) => name), warnings]).toEqual([['tracker'], []]);
  expect(servers.map(({ name }) => name)).toEqual(['files', 'remote']);
});
