// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of mcp.json look like that
import { describe, expect, it } from 'vitest';
import { loadMcpConfig } from '../../../src/mcp/config/config.ts';
import { thrown } from '../../model/thrown.ts';

const load = (text: string, env: Record<string, string> = {}) =>
  loadMcpConfig(text, '/p/mcp.json', { env, workspaceFolder: '/p', userHome: '/h', cwd: '/c' });
const names = (text: string) => load(text).servers.map(server => server.name);

describe('a hostile mcp.json', () => {
  it('larger than 1 M characters is refused before it is parsed', () => {
    const text = `{"servers": {"x": {"command": "${'a'.repeat(1 << 20)}"}}}`;
    expect(thrown(() => load(text))).toBe(
      `CONFIG: mcp.json has ${text.length} characters; the limit is 1048576`,
    );
  });

  it('a login in an address whose percent sign is no escape is taken as it is', () => {
    const [server] = load('{"servers": {"x": {"url": "https://50%:100%zz@example.com/mcp"}}}').servers;
    expect(server).toMatchObject({
      url: 'https://example.com/mcp',
      headers: { Authorization: `Basic ${Buffer.from('50%:100%zz').toString('base64')}` },
    });
  });

  it.each(['[', '{"a":', '[{"a":'])('nested without end by %s is refused, not a stack overflow', open => {
    const error = thrown(() => load(`{"servers": ${open.repeat(50_000)}`));
    expect(error).toMatch(/^CONFIG: Invalid JSON in mcp\.json: nested more than 100 levels deep at 1:\d+$/);
  });

  it('brackets in strings and comments are no nesting', () => {
    const brackets = '['.repeat(500);
    expect(names(`{"servers": {"x": {"command": "${brackets}"}} /* ${brackets} */ } // ${brackets}`)).toEqual(
      ['x'],
    );
  });

  it('prototype keys are names like any other and change no object', () => {
    const text =
      '{"__proto__": {"polluted": 1}, "servers": {"__proto__": {"command": "a"}, "constructor": {"command": "b",' +
      ' "env": {"__proto__": "x", "toString": "y"}, "__proto__": {"args": ["z"]}}}}';
    const config = load(text);
    expect(config.servers.map(server => server.name)).toEqual(['__proto__', 'constructor']);
    const second = config.servers[1];
    const env = second?.transport === 'stdio' ? second.env : {};
    expect(Object.entries(env)).toEqual([
      ['__proto__', 'x'],
      ['toString', 'y'],
    ]);
    expect(second).toMatchObject({ args: [] });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(config.warnings).toHaveLength(2);
  });

  it('a prototype key as transport, input or approval is no key of ours', () => {
    expect(load('{"servers": {"x": {"command": "a", "type": "constructor"}}}').failures).toHaveLength(1);
    expect(load('{"servers": {"x": {"command": "a", "approval": "toString"}}}').failures).toHaveLength(1);
    const text = '{"inputs": [], "servers": {"x": {"command": "${input:__proto__}"}}}';
    expect(load(text).failures[0]?.error).toContain("input '__proto__' has no value");
  });

  it('the same name twice, or in another case, is said', () => {
    const config = load(
      '{"servers": {"Files": {"command": "a"}, "files": {"command": "b"}, "files": {"command": "c"}}}',
    );
    expect(config.servers.map(server => server.name)).toEqual(['Files', 'files']);
    expect(config.servers[1]).toMatchObject({ command: 'b' });
    expect(config.warnings).toEqual([
      "mcp.json:1:77: server 'files' is defined twice; the first definition is used",
      "mcp.json:1:1: the servers 'Files' and 'files' differ only in case",
    ]);
  });

  it('the same key twice in an entry is said', () => {
    const config = load('{"servers": {"x": {"command": "a", "command": "b"}}}');
    expect(config.servers[0]).toMatchObject({ command: 'b' });
    expect(config.warnings).toEqual([
      "mcp.json:1:36: server 'x': 'command' occurs twice; the last one is used",
    ]);
  });

  it('Windows line ends, a byte order mark, comments and trailing commas keep positions true', () => {
    const text =
      '\uFEFF// c\r\n{\r\n  /* x */ "servers": {\r\n    "x": { "comand": "run", },\r\n  },\r\n}\r\n';
    const config = load(text);
    expect(config.warnings[0]).toMatch(
      /^mcp\.json:4:12: server 'x': unknown key 'comand'.*did you mean 'command'/,
    );
    expect(config.failures[0]?.error).toMatch(/^mcp\.json:4:10: server 'x': neither/);
    const first = load('\uFEFF{"servers": {"x": 1}}');
    expect(first.failures[0]?.error).toMatch(/^mcp\.json:1:19: /);
  });

  it('a flood of servers, unknown keys or long names is cut short', () => {
    const many = Object.fromEntries(
      Array.from({ length: 2000 }, (_, index) => [`s${index}`, { command: 'a' }]),
    );
    const config = load(JSON.stringify({ servers: many }));
    expect(config.servers).toHaveLength(256);
    expect(config.failures).toEqual([
      {
        name: 'servers',
        error: expect.stringContaining('more than 256 servers; these and the rest are left out'),
      },
    ]);
    const keys = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, 1]));
    const { warnings } = load(JSON.stringify({ servers: {}, ...keys, ['l'.repeat(100_000)]: 1 }));
    expect(warnings).toHaveLength(31);
    expect(warnings.at(-1)).toBe('mcp.json: 4971 more warnings');
    expect(Math.max(...warnings.map(line => line.length))).toBeLessThan(300);
  });

  it('names that a terminal would obey are refused, and shown harmlessly', () => {
    const config = load(
      JSON.stringify({ servers: { 'a\u001b[2Jb': { command: 'x' }, 'e\u202Ef': { command: 'x' } } }),
    );
    expect(config.servers).toEqual([]);
    expect(config.failures.map(failure => failure.error.split('\n')[0])).toEqual([
      "mcp.json:1:27: server 'a\\u{1b}[2Jb': the name has invisible characters",
      "mcp.json:1:49: server 'e\\u{202e}f': the name has invisible characters",
    ]);
  });

  it('variables that name each other cannot go round', () => {
    const text = '{"servers": {"x": {"command": "${A}", "args": ["${B:-${A}}"]}}}';
    expect(load(text, { A: '${B}', B: '${A}' }).servers[0]).toMatchObject({
      command: '${B}',
      args: ['${A}'],
    });
  });

  it('an input or header cannot bring a second header in', () => {
    const text = '{"servers": {"x": {"url": "https://example.com", "headers": {"A": "${EVIL}"}}}}';
    expect(load(text, { EVIL: 'x\r\nHost: other' }).failures[0]?.error).toContain('has a line break');
  });
});
