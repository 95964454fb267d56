// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of mcp.json look like that
import { describe, expect, it } from 'vitest';
import { LlmHostError } from '../../src/errors.ts';
import { loadMcpConfig, type McpConfig } from '../../src/mcp/config.ts';

const SCOPE = {
  env: { TOKEN: 'secret', EMPTY: '', NESTED: '${TOKEN}' },
  workspaceFolder: '/project',
  userHome: '/home/me',
  cwd: '/here',
};

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
  const expected = [{ name: 'x', command: 'run', args: ['a'], env: {}, cwd: '/project' }];

  it.each(['servers', 'mcpServers', 'mcp_servers'])('reads %s', key => {
    expect(load({ [key]: { x: entry } })).toEqual({
      servers: expected,
      disabled: [],
      failures: [],
      warnings: [],
    });
  });

  it('reads a list of entries with names', () => {
    expect(load({ servers: [{ name: 'x', ...entry }] }).servers).toEqual(expected);
    expect(load({ servers: [entry] }).servers[0]?.name).toBe('servers[0]');
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
    expect(config.servers.map(server => server.command)).toEqual(['one', 'three']);
    expect(config.warnings).toEqual([
      "mcp.json:2: server 'x' is defined twice; the first definition is used",
    ]);
  });

  it('leaves out what is switched off', () => {
    const config = load({
      servers: { a: { disabled: true }, b: { enabled: false }, c: { ...entry, enabled: true } },
    });
    expect(config.servers.map(server => server.name)).toEqual(['c']);
    expect(config.disabled).toEqual(['a', 'b']);
  });

  it('warns when there are no servers, and about unknown keys with the nearest known one', () => {
    expect(load({}).warnings[0]).toContain('mcp.json: no servers');
    const config = load('{\n"severs": {},\n"servers": {\n"x": {"command": "run",\n"arg": []}}}');
    expect(config.warnings).toEqual([
      "mcp.json:2: unknown key 'severs' is ignored (did you mean 'servers'?)",
      "mcp.json:5: server 'x': unknown key 'arg' is ignored (did you mean 'args'?)",
    ]);
  });

  it('reads the example that ships with the package', async () => {
    const { readFileSync } = await import('node:fs');
    const config = load(readFileSync(new URL('../../mcp.json.example', import.meta.url), 'utf8'));
    expect(config.failures).toEqual([]);
    expect(config.warnings).toEqual([]);
    expect(config.servers.map(server => server.args.slice(1))).toEqual([
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
      command: 'run',
      args: [],
      env: { A: 'x', B: '1', C: null },
      cwd: '/project/sub',
      timeoutMs: 5000,
    });
  });

  it('takes the parent of .vscode for the workspace', () => {
    const text = '{"servers": {"x": {"command": "${workspaceFolder}/run"}}}';
    const server = loadMcpConfig(text, '/project/.vscode/mcp.json').servers[0];
    expect([server?.command, server?.cwd]).toEqual(['/project/run', '/project']);
  });

  it('runs this package for the command llm-host', () => {
    const server = load({ servers: { x: { command: 'llm-host', args: ['server', 'calculator'] } } })
      .servers[0];
    expect(server?.command).toBe(process.execPath);
    expect(server?.args[0]).toMatch(/\/dist\/cli\/main\.js$/);
    expect(server?.args.slice(1)).toEqual(['server', 'calculator']);
  });

  it.each([
    [{}, "'command' is missing"],
    [{ command: '' }, "'command' must be a non-empty string"],
    [{ command: ['a', 'b'] }, "'command' must be a non-empty string"],
    [{ command: 'run', args: 'a b' }, "'args' must be a list of strings"],
    [{ command: 'run', args: [1] }, "'args' must be a list of strings"],
    [{ command: 'run', env: ['A=1'] }, "'env' must be an object"],
    [{ command: 'run', env: { A: {} } }, "'env.A' must be a string, a number or null"],
    [{ command: 'run', env: { 'A=B': 'x' } }, 'impossible variable name'],
    [{ command: 'run', cwd: 7 }, "'cwd' must be a non-empty string"],
    [{ command: 'run', timeout: '30s' }, "'timeout' must be a positive number of milliseconds"],
    [
      { command: 'run', timeout: 30 },
      "'timeout' is 30, but it is in milliseconds and at least 1000 (30000 means 30 s)",
    ],
    [{ command: 'run', disabled: 'yes' }, "'disabled' must be true or false"],
    [{ command: 'run', type: 'carrier-pigeon' }, '\'type\' must be "stdio", not "carrier-pigeon"'],
    [{ command: 'run', envFile: '.env' }, "'envFile' is not supported yet"],
    [{ url: 'https://example.com/mcp' }, 'HTTP servers are not supported yet'],
    [{ type: 'sse', command: 'run' }, 'HTTP servers are not supported yet'],
    ['run', 'an object is expected'],
    [null, 'an object is expected'],
  ])('disables only the entry %j', (entry, message) => {
    const error = failure(entry);
    expect(error).toContain("mcp.json:1: server 'x': ");
    expect(error).toContain(message);
  });

  it('names file and line, and the accepted shapes', () => {
    const { failures } = load('{\n  "servers": {\n    "x": { "cmd": "run" }\n  }\n}');
    expect(failures[0]?.error).toMatch(
      /^mcp\.json:3: server 'x': 'command' is missing\naccepted: \{"command"/,
    );
  });
});

describe('variables', () => {
  const expand = (text: string): string | undefined =>
    load({ servers: { x: { command: text } } }).servers[0]?.command;

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
    ['$TOKEN $(TOKEN) ${', '$TOKEN $(TOKEN) ${'],
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
    ['${input:key}', 'inputs are not supported yet'],
    ['${config:editor.tabSize}', '${config:editor.tabSize} is not a known variable'],
    ['${}', '${} is not a known variable'],
  ])('disables the server for %s', (text, message) => {
    expect(failure({ command: 'run', args: [text] })).toContain(message);
  });
});

describe('a file that is no JSON', () => {
  it.each([
    ['{\n  "servers": {\n    "x" {}\n', 'Invalid JSON in mcp.json: colon expected at 3:9'],
    ['', 'Invalid JSON in mcp.json: the file is empty at 1:1'],
    ['{"servers": {}} {}', 'Invalid JSON in mcp.json: end of file expected at 1:17'],
    ['[1]', 'Invalid JSON in mcp.json: an object is expected at 1:1'],
  ])('%j', (text, message) => {
    const error = thrown(text);
    expect(error).toBeInstanceOf(LlmHostError);
    expect([error.code, error.exitCode, error.message]).toEqual(['CONFIG', 78, message]);
  });

  it('reports servers of the wrong type without giving up the rest', () => {
    const config = load({ servers: 'none', mcpServers: { x: { command: 'run' } } });
    expect(config.servers).toHaveLength(1);
    expect(config.failures[0]?.error).toBe("mcp.json:1: 'servers' must be an object or a list");
  });
});
