// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of mcp.json look like that
import { describe, expect, it } from 'vitest';
import { LlmHostError } from '../../../src/errors.ts';
import { loadMcpConfig, type McpConfig, type StdioServerConfig } from '../../../src/mcp/config/config.ts';
import { parseMcpFile } from '../../../src/mcp/config/document.ts';

const SCOPE = {
  env: { TOKEN: 'secret', EMPTY: '', NESTED: '${TOKEN}', BIG: 'x'.repeat(60_000) },
  workspaceFolder: '/project',
  userHome: '/home/me',
  cwd: '/here',
};

/** The servers, all of which are programs. */
function programs(value: unknown): StdioServerConfig[] {
  return load(value).servers.filter(server => server.transport === 'stdio');
}

function load(value: unknown, file = '/project/mcp.json'): McpConfig {
  return loadMcpConfig(typeof value === 'string' ? value : JSON.stringify(value), file, SCOPE);
}

/** The one failure of an entry. */
function failure(entry: unknown): string {
  const { failures, servers } = load({ servers: { x: entry, good: { command: 'run' } } });
  expect(servers.map(server => server.name)).toEqual(['good']);
  expect(failures).toHaveLength(1);
  return failures[0]?.error ?? '';
}

function thrown(text: string): LlmHostError {
  try {
    load(text);
  } catch (error) {
    return error as LlmHostError;
  }
  throw new Error('nothing was thrown');
}

describe('shapes', () => {
  const entry = { command: 'run', args: ['a'] };
  const expected = [{ name: 'x', transport: 'stdio', command: 'run', args: ['a'], env: {}, cwd: '/project' }];

  it.each(['servers', 'mcpServers', 'mcp_servers'])('reads %s', key => {
    expect(load({ [key]: { x: entry } })).toEqual({
      servers: expected,
      disabled: [],
      switchedOff: [],
      failures: [],
      warnings: [],
      secrets: [],
    });
  });

  it('reads a list of entries with names', () => {
    expect(load({ servers: [{ name: 'x', ...entry }] }).servers).toEqual(expected);
    const unnamed = [entry, entry, { url: 'https://example.com/mcp' }];
    expect(load({ servers: unnamed }).servers.map(server => server.name)).toEqual([
      'run',
      'run-2',
      'example.com',
    ]);
  });

  it('reads comments, trailing commas and a byte order mark', () => {
    const text =
      '\uFEFF// mine\n{ "servers": { "x": { "command": "run", "args": ["a",], /* no env */ }, }, }';
    expect(load(text).servers).toEqual(expected);
  });

  it('merges several keys and keeps the first of two servers of one name', () => {
    const config = load(
      '{"servers": {"x": {"command": "one"}},\n"mcpServers": {"x": {"command": "two"}, "y": {"command": "three"}}}',
    );
    expect(config.servers.map(server => server.transport === 'stdio' && server.command)).toEqual([
      'one',
      'three',
    ]);
    expect(config.warnings).toEqual([
      "mcp.json:2:21: server 'x' is defined twice; the first definition is used",
    ]);
  });

  it('leaves out what is switched off', () => {
    const config = load({
      servers: { a: { disabled: true }, b: { enabled: false }, c: { ...entry, enabled: true } },
    });
    expect(config.servers.map(server => server.name)).toEqual(['c']);
    expect(config.disabled).toEqual(['a', 'b']);
    expect(config.switchedOff).toEqual([]);
  });

  it('keeps what is switched off and could be switched on, without a word about the rest', () => {
    const off = { ...entry, disabled: true };
    const config = load({
      servers: {
        a: off,
        b: { ...off, args: 1 },
        c: { ...off, args: ['${UNSET}'] },
        d: { ...off, args: ['${input:x}'] },
      },
    });
    expect(config.disabled).toEqual(['a', 'b', 'c', 'd']);
    expect(config.switchedOff).toEqual([{ ...expected[0], name: 'a' }]);
    expect([config.failures, config.warnings]).toEqual([[], []]);
  });

  it('warns when there are no servers, and about unknown keys with the nearest known one', () => {
    expect(load({}).warnings[0]).toContain('mcp.json:1:1: no servers');
    const config = load('{\n"severs": {},\n"servers": {\n"x": {"command": "run",\n"arg": []}}}');
    expect(config.warnings).toEqual([
      "mcp.json:2:1: unknown key 'severs' is ignored (did you mean 'servers'?)",
      "mcp.json:5:1: server 'x': unknown key 'arg' is ignored (did you mean 'args'?)",
    ]);
  });

  it('reads the example that ships with the package', async () => {
    const { readFileSync } = await import('node:fs');
    const config = load(readFileSync(new URL('../../../mcp.json.example', import.meta.url), 'utf8'));
    expect(config.failures).toEqual([]);
    expect(config.warnings).toEqual([]);
    expect(config.servers.map(server => server.transport === 'stdio' && server.args.slice(1))).toEqual([
      ['server', 'calculator'],
      ['server', 'files', '--root', '/project'],
    ]);
  });
});

describe('entries', () => {
  it('keeps env, cwd and timeout', () => {
    const entry = {
      command: 'run',
      env: { A: 'x', B: 1, C: null },
      cwd: 'sub',
      timeout: 5000,
      type: 'stdio',
    };
    expect(load({ servers: { x: entry } }).servers[0]).toEqual({
      name: 'x',
      transport: 'stdio',
      command: 'run',
      args: [],
      env: { A: 'x', B: '1', C: null },
      cwd: '/project/sub',
      timeoutMs: 5000,
    });
  });

  it('takes the parent of .vscode for the workspace', () => {
    const text = '{"servers": {"x": {"command": "${workspaceFolder}/run"}}}';
    const server = loadMcpConfig(text, '/project/.vscode/mcp.json').servers[0] as StdioServerConfig;
    expect([server.command, server.cwd]).toEqual(['/project/run', '/project']);
  });

  it('runs this package for the command llm-host', () => {
    const server = programs({ servers: { x: { command: 'llm-host', args: ['server', 'calculator'] } } })[0];
    expect(server?.command).toBe(process.execPath);
    expect(server?.args[0]).toMatch(/\/dist\/cli\/main\.js$/);
    expect(server?.args.slice(1)).toEqual(['server', 'calculator']);
  });

  it.each([
    [{}, "neither 'command' nor 'url' is there"],
    [{ command: '' }, "'command' must be a non-empty string"],
    [{ command: [] }, "'command' must be a non-empty string"],
    [{ command: ['a', 7] }, "'command' must be a non-empty string"],
    [{ command: 'run', args: 'a b' }, "'args' must be a list of strings"],
    [{ command: 'run', args: [1] }, "'args' must be a list of strings"],
    [{ command: 'run', args: ['a\0b'] }, 'NUL character'],
    [{ command: 'run', env: ['A=1'] }, "'env' must be an object"],
    [{ command: 'run', env: { A: {} } }, "'env.A' must be a string, a number or null"],
    [{ command: 'run', env: { 'A=B': 'x' } }, 'impossible variable name'],
    [{ command: 'run', cwd: 7 }, "'cwd' must be a non-empty string"],
    [{ command: 'run', timeout: '30s' }, "'timeout' must be a positive number of milliseconds"],
    [{ command: 'run', timeout: -1 }, "'timeout' must be a positive number of milliseconds"],
    [{ command: 'run', init_timeout: 0 }, "'init_timeout' must be a positive number of seconds"],
    [{ command: 'run', disabled: 'yes' }, "'disabled' must be true or false"],
    [
      { command: 'run', type: 'carrier-pigeon' },
      "'type' is 'carrier-pigeon', which is not a supported transport",
    ],
    [{ command: 'run', type: 3 }, "'type' is 3, which is not a supported transport"],
    [{ command: 'run', allow: 'read' }, "'allow' must be a list of tool names"],
    [{ command: 'run', deny: [''] }, "'deny' must be a list of tool names"],
    [{ command: 'run', approval: 'maybe' }, "'approval' is 'maybe'"],
    [{ command: 'run', approval: { x: 1 } }, 'is 1'],
    [{ command: 'run', protocol: 'new' }, "'protocol' is 'new'"],
    [{ command: 'run', sandboxEnabled: true }, 'a sandbox is not supported'],
    [{ command: 'run', url: 'https://example.com' }, "'command' and 'url' exclude each other"],
    [{ command: 'run', cmd: 'walk' }, "'command' and 'cmd' say the same thing in two ways"],
    [{ command: 'run', type: 'sse' }, 'a "sse" server has no \'command\''],
    [{ url: 'https://example.com', type: 'stdio' }, 'a "stdio" server has no \'url\''],
    [{ type: 'http' }, "'url' is missing"],
    [{ type: 'stdio' }, "'command' is missing"],
    [{ url: 'ftp://example.com' }, "'url': the url must begin with http:// or https://"],
    [{ url: 'not an address' }, "'url': the url must begin with http:// or https://"],
    [{ url: 'https://example.com', headers: { 'a b': 'x' } }, "impossible name 'a b'"],
    [{ url: 'https://example.com', headers: { A: 7 } }, "'headers.A' must be a string"],
    [{ url: 'https://example.com', headers: { A: 'x\r\nB: y' } }, 'has a line break'],
    [
      { url: 'https://example.com', headersHelper: 'run' },
      'generating headers with a command is not supported',
    ],
    [{ url: 'https://example.com', oauth: { callbackPort: 0 } }, 'must be a port number'],
    [{ url: 'https://example.com', oauth: 'yes' }, "'oauth' must be an object"],
    ['run', 'an object is expected'],
    [null, 'an object is expected'],
    [[], 'an object is expected'],
  ])('disables only the entry %j', (entry, message) => {
    const error = failure(entry);
    expect(error).toMatch(/^mcp\.json:1:\d+: server 'x': /);
    expect(error).toContain(message);
    expect(error).toMatch(/\naccepted: ["{]/);
  });

  it('names file, line and column of the very value, and the accepted shape', () => {
    const { failures } = load('{\n  "servers": {\n    "x": { "command": "run",\n      "args": "a" }\n  }\n}');
    expect(failures[0]?.error).toBe(
      'mcp.json:4:15: server \'x\': \'args\' must be a list of strings\naccepted: "args": ["one", "two"]',
    );
  });

  it.each(['stdio', 'STDIO', 'local'])('takes type %s for a program', type => {
    expect(load({ servers: { x: { type, command: 'run' } } }).servers[0]?.transport).toBe('stdio');
  });

  it.each([
    ['http', 'http'],
    ['remote', 'http'],
    ['streamable-http', 'http'],
    ['streamable_http', 'http'],
    ['streamableHttp', 'http'],
    ['StreamableHTTP', 'http'],
    ['sse', 'sse'],
    [undefined, 'http'],
  ])('takes type %s for an address', (type, transport) => {
    expect(load({ servers: { x: { type, url: 'https://example.com/mcp' } } }).servers[0]).toEqual({
      name: 'x',
      transport,
      url: 'https://example.com/mcp',
      headers: {},
      localAccess: 'named',
      where: expect.stringMatching(/mcp\.json:1:\d+$/),
    });
  });

  it.each([
    [
      { cmd: 'run', envs: { A: '1' } },
      { command: 'run', env: { A: '1' } },
    ],
    [
      { command: ['run', '-x'], args: ['y'], environment: { A: '1' } },
      { args: ['-x', 'y'], env: { A: '1' } },
    ],
    [
      { command: 'run', includeTools: ['a'], excludeTools: ['b'] },
      { allow: ['a'], deny: ['b'] },
    ],
    [
      { command: 'run', enabled_tools: ['a'], disabled_tools: ['b'] },
      { allow: ['a'], deny: ['b'] },
    ],
    [{ httpUrl: 'https://example.com/' }, { transport: 'http', url: 'https://example.com/' }],
    [{ serverUrl: 'https://example.com/', type: 'sse' }, { transport: 'sse' }],
    [{ command: 'run', approval: 'ask' }, { approval: [{ pattern: '*', approval: 'ask' }] }],
    [
      { command: 'run', approval: { 'delete_*': 'never', '*': 'auto' } },
      {
        approval: [
          { pattern: 'delete_*', approval: 'never' },
          { pattern: '*', approval: 'auto' },
        ],
      },
    ],
    [{ command: 'run', protocol: 'auto' }, { protocol: 'auto' }],
  ])('reads what other hosts write: %j', (entry, expected) => {
    const config = load({ servers: { x: entry } });
    expect([config.failures, config.warnings]).toEqual([[], []]);
    expect(config.servers[0]).toMatchObject(expected);
  });

  it.each([
    [{ timeout: 30 }, 30_000, 'taken as 30 s; write 30000 for 30 s'],
    [{ timeout: 0.5 }, 500, 'taken as 0.5 s'],
    [{ timeout: 90_000_000 }, 86_400_000, 'taken as 24 h'],
    [{ tool_timeout_sec: 60 }, 60_000, undefined],
    [{ tool_timeout_sec: 90_000 }, 90_000, 'taken as milliseconds'],
    [{ tool_timeout: 1e300 }, 86_400_000, 'taken as 24 h'],
    [{ request_timeout_ms: 5000 }, 5000, undefined],
  ])('guards the unit of %j', (limit, timeoutMs, warning) => {
    const config = load({ servers: { x: { command: 'run', ...limit } } });
    expect(config.servers[0]?.timeoutMs).toBe(timeoutMs);
    if (warning === undefined) expect(config.warnings).toEqual([]);
    else expect(config.warnings[0]).toContain(warning);
  });

  it('keeps the limit of the start apart', () => {
    const entry = { command: 'run', timeout: 5000, startupTimeout: 60_000 };
    expect(load({ servers: { x: entry } }).servers[0]).toMatchObject({
      timeoutMs: 5000,
      startTimeoutMs: 60_000,
    });
  });

  it('warns of keys that have no effect on this kind of server, and of a command with its arguments in it', () => {
    const { warnings } = load({
      servers: {
        a: { command: 'npx -y thing', headers: {} },
        b: { url: 'https://example.com', args: [] },
      },
    });
    expect(warnings.map(line => line.replace(/^mcp\.json:1:\d+: /, ''))).toEqual([
      "server 'a': 'headers' has no effect on a program",
      "server 'a': 'command' is started as one program, spaces included: put the arguments into 'args'",
      "server 'b': 'args' has no effect on an address",
    ]);
  });

  it('knows secrets of the environment wherever they are filled in', () => {
    const servers = {
      a: { command: 'a', args: ['--token=${env:MY_TOKEN}', '${USER:-nobody}', '${MISSING_KEY:-none}'] },
      b: { url: 'https://example.com/${API_KEY}/mcp' },
      c: { command: 'c', env: { X: '${env:MY_TOKEN}' } },
    };
    const env = { MY_TOKEN: 'argument-secret', API_KEY: 'path-secret', USER: 'somebody' };
    const config = loadMcpConfig(JSON.stringify({ servers }), '/p/mcp.json', { env });
    expect(config.failures).toEqual([]);
    expect(new Set(config.secrets)).toEqual(new Set(['argument-secret', 'path-secret']));
  });

  it('takes credentials out of a url', () => {
    const config = load({ servers: { x: { url: 'https://me:pa%20ss@example.com/mcp' } } });
    expect(config.servers[0]).toMatchObject({
      url: 'https://example.com/mcp',
      headers: { Authorization: `Basic ${Buffer.from('me:pa ss').toString('base64')}` },
    });
    expect(config.secrets).toContain('pa ss');
  });
});

describe('variables', () => {
  const expand = (text: string): string | undefined =>
    programs({ servers: { x: { command: text } } })[0]?.command;

  it.each([
    ['${env:TOKEN}', 'secret'],
    ['${TOKEN}', 'secret'],
    ['a${TOKEN}b${TOKEN}', 'asecretbsecret'],
    ['${UNSET:-default value}', 'default value'],
    ['${env:UNSET:-}x', 'x'],
    ['${EMPTY:-full}', 'full'],
    ['x${EMPTY}', 'x'],
    ['${workspaceFolder}|${userHome}|${cwd}', '/project|/home/me|/here'],
    ['${NESTED}', '${TOKEN}'],
    ['${env://TOKEN}', 'secret'],
    ['${UNSET:-${TOKEN}}', 'secret'],
    ['${UNSET:-a${ALSO:-b${TOKEN}}c}d', 'absecretcd'],
    ['${UNSET:-}x', 'x'],
    ['$${TOKEN} $$ ${TOKEN}', '${TOKEN} $$ secret'],
    ['${UNSET:-$${TOKEN}}', '${TOKEN}'],
    ['$TOKEN $(TOKEN) {TOKEN}', '$TOKEN $(TOKEN) {TOKEN}'],
    ['${workspaceFolderBasename}${/}${pathSeparator}x', 'project//x'],
  ])('expands %s', (text, expected) => {
    expect(expand(text)).toBe(expected);
  });

  it('expands args, env values and cwd, but no names', () => {
    const entry = {
      command: 'run',
      args: ['--key=${TOKEN}'],
      env: { '${TOKEN}': '${TOKEN}' },
      cwd: '${userHome}/x',
    };
    expect(load({ servers: { x: entry } }).servers[0]).toMatchObject({
      args: ['--key=secret'],
      env: { '${TOKEN}': 'secret' },
      cwd: '/home/me/x',
    });
  });

  it.each([
    ['${UNSET}', 'the environment variable UNSET is not set'],
    ['${env:UNSET}', 'the environment variable UNSET is not set'],
    ['${input:key}', "input 'key' has no value"],
    ['${config:editor.tabSize}', "'${config:editor.tabSize}' only has a meaning in an editor"],
    ['${}', "'${}' is not a known variable"],
    ['${TOKEN', "'${TOKEN' has no closing brace"],
    ['${a b}', "'${a b}' is not a known variable"],
    ['${toString}', 'the environment variable toString is not set'],
    ['${__proto__}', 'the environment variable __proto__ is not set'],
    [`${'${A:-'.repeat(9)}x${'}'.repeat(9)}`, 'nested more than 8 levels deep'],
    ['${BIG}'.repeat(20), 'it exceeds 1048576 characters'],
  ])('disables the server for %s', (text, message) => {
    expect(failure({ command: 'run', args: [text] })).toContain(message);
  });
});

describe('a file that is no JSON', () => {
  it.each([
    ['{\n  "servers": {\n    "x" {}\n', 'Invalid JSON in mcp.json: colon expected at 3:9'],
    ['', 'Invalid JSON in mcp.json: the file is empty at 1:1'],
    ['{"servers": {}} {}', 'Invalid JSON in mcp.json: end of file expected at 1:17'],
    ['1', 'Invalid JSON in mcp.json: an object or a list of servers is expected at 1:1'],
  ])('%j', (text, message) => {
    const error = thrown(text);
    expect(error).toBeInstanceOf(LlmHostError);
    expect([error.code, error.exitCode, error.message]).toEqual(['CONFIG', 78, message]);
  });

  it('reports servers of the wrong type without giving up the rest', () => {
    const config = load({ servers: 'none', mcpServers: { x: { command: 'run' } } });
    expect(config.servers).toHaveLength(1);
    expect(config.failures[0]?.error).toContain(
      "mcp.json:1:12: 'servers' must be an object or a list\naccepted: ",
    );
  });
});

it('a list as the whole file, as README says', () => {
  const text = '[{ "name": "a", "command": "x" }, { "url": "https://example.org/mcp" }, 7]';
  const { entries, failures, warnings } = parseMcpFile({ path: '/w/mcp.json', text });
  expect(entries.map(({ name }) => name)).toEqual(['a', 'example.org']);
  expect(failures).toEqual([{ name: 'server', error: expect.stringContaining('an object is expected') }]);
  expect(warnings).toEqual([]);
});
