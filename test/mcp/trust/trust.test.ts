// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of mcp.json look like that
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type McpDocument, parseMcpFile } from '../../../src/mcp/config/document.ts';
import { TrustStore } from '../../../src/mcp/trust/store.ts';
import { type LaunchRequest, withConsent } from '../../../src/mcp/trust/trust.ts';
import { tempFolder } from '../../model/temp-folder.ts';

const warnings: string[] = [];
const storeAt = (path: string) => new TrustStore(path, message => warnings.push(message));

function project(servers: object, folder = '/p', origin: 'project' | 'user' = 'project'): McpDocument {
  return parseMcpFile({ path: join(folder, 'mcp.json'), text: JSON.stringify({ servers }), origin });
}

/** The servers that may start, and what was asked. */
async function consent(document: McpDocument, store: TrustStore, answer?: boolean, allowAll = false) {
  const asked: LaunchRequest[] = [];
  const result = await withConsent(document, {
    store,
    scope: ({ workspaceFolder }) => ({
      env: {},
      workspaceFolder,
      userHome: '/h',
      cwd: '/c',
      input: () => '',
    }),
    allowAll,
    confirm:
      answer === undefined
        ? undefined
        : (_, launches) => {
            asked.push(...launches);
            return Promise.resolve(answer);
          },
  });
  return {
    started: result.entries.map(entry => entry.name),
    asked: asked.map(({ server, changed }) => (changed ? `${server} (changed)` : server)),
    lines: asked.map(({ shown }) => shown),
    result,
  };
}

const run = { command: 'npx', args: ['-y', 'server'] };

describe('an mcp.json from the working directory', () => {
  it('is asked for once; yes is remembered for these exact commands only', async () => {
    const store = storeAt(join(tempFolder(), 'state', 'trust.json'));
    expect(await consent(project({ a: run }), store, true)).toMatchObject({ started: ['a'], asked: ['a'] });
    expect(await consent(project({ a: run }), store, false)).toMatchObject({ started: ['a'], asked: [] });
    const more = project({ a: run, b: run });
    expect(await consent(more, store, false)).toMatchObject({ started: ['a'], asked: ['b'] });
    expect(await consent(more, store, true)).toMatchObject({ started: ['a', 'b'], asked: ['b'] });
    expect(await consent(project({ a: run }, '/other'), store, false)).toMatchObject({
      started: [],
      asked: ['a'],
    });
  });

  it.each([
    { ...run, args: ['-y', 'server', '--evil'] },
    { ...run, args: ['-y server'] },
    { ...run, command: 'bash' },
    { ...run, env: { NODE_OPTIONS: '--require ./evil.js' } },
    { ...run, cwd: '/tmp' },
    { ...run, envFile: '.env' },
    { url: 'https://example.com' },
  ])('a change to %j is asked for again', async entry => {
    const store = storeAt(join(tempFolder(), 'trust.json'));
    await consent(project({ a: run }), store, true);
    expect(await consent(project({ a: entry }), store, false)).toMatchObject({
      started: [],
      asked: ['a (changed)'],
    });
  });

  it('a change that starts nothing else is not asked for', async () => {
    const store = storeAt(join(tempFolder(), 'trust.json'));
    await consent(project({ a: { ...run, env: { A: '1', B: '2' } } }), store, true);
    const same = {
      args: ['-y', 'server'],
      timeout: 5000,
      env: { B: '2', A: '1' },
      command: 'npx',
      deny: ['x'],
    };
    expect(await consent(project({ a: same }), store, false)).toMatchObject({ started: ['a'], asked: [] });
  });

  it('a change of the env file is asked for again', async () => {
    const folder = tempFolder({ '.env': 'A=1' });
    const store = storeAt(join(folder, 'trust.json'));
    const document = project({ a: { ...run, envFile: '.env' } }, folder);
    await consent(document, store, true);
    expect((await consent(document, store, false)).asked).toEqual([]);
    writeFileSync(join(folder, '.env'), 'NODE_OPTIONS=--require ./evil.js');
    expect((await consent(document, store, false)).asked).toEqual(['a (changed)']);
  });

  it('without anybody to ask is refused with the ways to allow it', async () => {
    const { result, started } = await consent(project({ a: run }), storeAt(join(tempFolder(), 'trust.json')));
    expect(started).toEqual([]);
    expect(result.failures).toEqual([
      {
        name: 'a',
        error: "mcp.json:1:17: server 'a' was not started, you have not allowed it: npx -y server",
      },
    ]);
    for (const way of ['on a terminal', '--mcp', 'LLM_HOST_TRUST_MCP=1'])
      expect(result.warnings[0]).toContain(way);
  });

  it('is not asked for when the user named it or allows all; that is not remembered', async () => {
    const store = storeAt(join(tempFolder(), 'trust.json'));
    expect((await consent(project({ a: run }, '/p', 'user'), store)).started).toEqual(['a']);
    expect((await consent(project({ a: run }), store, undefined, true)).started).toEqual(['a']);
    expect((await consent(project({ a: run }), store)).started).toEqual([]);
  });

  it('shows the whole line, secrets and tricks aside', async () => {
    const store = storeAt(join(tempFolder(), 'trust.json'));
    const long = 'x'.repeat(5000);
    const { lines } = await consent(
      project({
        a: { command: 'sh', args: ['-c', "echo 'hi'; rm -rf ~", '${TOKEN}', long], cwd: '/tmp/a b' },
        b: {
          command: 'npx',
          args: ['a\u001b[2K\rb\u202Ec\nd'],
          env: { API_KEY: 'k', NODE_OPTIONS: '-r x', GONE: null },
        },
        c: {
          url: 'https://me:pw@example.com/x?y',
          headers: { Authorization: 'Bearer t' },
          allowLocalNetwork: true,
        },
      }),
      store,
      false,
    );
    expect(lines).toEqual([
      `sh -c 'echo '\\''hi'\\''; rm -rf ~' \${TOKEN} ${long} (in '/tmp/a b')`,
      "npx a\\u{1b}[2K\\u{d}b\\u{202e}c\\u{a}d (with API_KEY=... NODE_OPTIONS='-r x' GONE unset)".replace(
        /a\\u.*?d(?= )/,
        "'$&'",
      ),
      'https://...@example.com/x?y (with the headers Authorization) (may be on the local network)',
    ]);
  });

  it('asks nothing for the bundled servers inside the project, and for everything else about them', async () => {
    const folder = tempFolder({ 'sub/x': '' });
    symlinkSync('/', join(folder, 'out'));
    const llm = (...args: string[]) => ({ command: 'llm-host', args });
    const { asked } = await consent(
      project(
        {
          calc: llm('server', 'calculator'),
          files: llm('server', 'files', '--root', '${workspaceFolder}'),
          sub: llm('server', 'files', '--root', 'sub'),
          up: llm('server', 'files', '--root', '..'),
          root: llm('server', 'files', '--root', '/'),
          link: llm('server', 'files', '--root', '${workspaceFolder}/out'),
          none: llm('server', 'files', '--root', 'none'),
          env: { ...llm('server', 'calculator'), env: { NODE_OPTIONS: '-r ./evil.js' } },
          file: { ...llm('server', 'calculator'), envFile: '.env' },
          cwd: { ...llm('server', 'files', '--root', 'sub'), cwd: '/' },
          chat: llm('some/model'),
          more: llm('server', 'calculator', '--x'),
          path: { command: './llm-host', args: ['server', 'calculator'] },
        },
        folder,
      ),
      storeAt(join(folder, 'trust.json')),
      false,
    );
    expect(asked).toEqual(['up', 'root', 'link', 'none', 'env', 'file', 'cwd', 'chat', 'more', 'path']);
  });
});

describe('an entry that lets calls run without a question', () => {
  const all = { ...run, approval: 'auto' };
  const some = { ...run, approval: { 'delete_*': 'ask', '*': 'auto' } };

  it('is asked for with its patterns, and again when it is changed to one', async () => {
    const store = storeAt(join(tempFolder(), 'trust.json'));
    await consent(project({ a: run, b: run }), store, true);
    const { asked, lines } = await consent(project({ a: all, b: some }), store, true);
    expect(asked).toEqual(['a (changed)', 'b (changed)']);
    expect(lines).toEqual([
      "npx -y server (without a question: '*')",
      "npx -y server (without a question: '*')",
    ]);
    expect((await consent(project({ a: all, b: some }), store, false)).asked).toEqual([]);
    const narrower = project({ a: { ...run, approval: { 'write_*': 'auto' } } });
    expect((await consent(narrower, store, false)).lines).toEqual([
      "npx -y server (without a question: 'write_*')",
    ]);
  });

  it('is asked for though its server is a bundled one, but not if it only asks more', async () => {
    const folder = tempFolder();
    const files = { command: 'llm-host', args: ['server', 'files', '--root', '.'] };
    const entries = {
      auto: { ...files, approval: 'auto' },
      some: { ...files, approval: { delete_file: 'auto' } },
      ask: { ...files, approval: 'ask' },
      never: { ...files, approval: { '*': 'never' } },
    };
    const { asked, started } = await consent(
      project(entries, folder),
      storeAt(join(folder, 't.json')),
      false,
    );
    expect([asked, started]).toEqual([
      ['auto', 'some'],
      ['ask', 'never'],
    ]);
  });
});

it('what is switched off is not asked for, and can be switched on only if it was allowed before', async () => {
  const store = storeAt(join(tempFolder(), 'trust.json'));
  const off = project({ a: { ...run, disabled: true } });
  const first = await consent(off, store, true);
  expect([first.asked, first.result.switchedOff]).toEqual([[], []]);
  await consent(project({ a: run }), store, true);
  expect((await consent(off, store, false)).result.switchedOff.map(entry => entry.name)).toEqual(['a']);
});

describe('the file that remembers', () => {
  it('can be read by its owner only, and keeps hashes, no commands', async () => {
    const path = join(tempFolder(), 'state', 'trust.json');
    await consent(project({ ['__proto__']: run, a: run }), storeAt(path), true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).not.toContain('npx');
    expect(storeAt(path).get('launches', '/p/mcp.json').size).toBe(2);
  });

  it.each([
    ['is damaged', (path: string) => writeFileSync(path, '{"version": 1, ', { mode: 0o600 })],
    ['has an unknown version', (path: string) => writeFileSync(path, '{"version": 7}', { mode: 0o600 })],
    ['could be written by others', (path: string) => chmodSync(path, 0o666)],
  ])('counts as empty when it %s', async (_, harm) => {
    const path = join(tempFolder(), 'trust.json');
    await consent(project({ a: run }), storeAt(path), true);
    harm(path);
    warnings.length = 0;
    expect((await consent(project({ a: run }), storeAt(path), true)).asked).toEqual(['a']);
    expect(warnings).toEqual([expect.stringContaining('is ignored and will be replaced')]);
    expect((await consent(project({ a: run }), storeAt(path), false)).asked).toEqual([]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('holds odd values without harm', () => {
    const path = join(tempFolder(), 'trust.json');
    const odd =
      '{"version": 1, "launches": {"/p": {"a": 7, "b": null, "c": "x"}, "__proto__": {"d": "y"}, "q": []}}';
    writeFileSync(path, odd, { mode: 0o600 });
    const store = storeAt(path);
    expect([...store.get('launches', '/p')]).toEqual([['c', 'x']]);
    expect([...store.get('launches', '__proto__')]).toEqual([['d', 'y']]);
    expect([...store.get('launches', 'toString'), ...store.get('tools', '/p')]).toEqual([]);
  });

  it('that cannot be written is said once, and the servers start all the same', async () => {
    const folder = tempFolder({ file: '' });
    warnings.length = 0;
    const store = storeAt(join(folder, 'file', 'trust.json'));
    expect((await consent(project({ a: run, b: run }), store, true)).started).toEqual(['a', 'b']);
    expect(warnings).toEqual([expect.stringContaining('ENOTDIR')]);
  });

  it('that is a link or a folder is not followed', async () => {
    const folder = tempFolder({ 'other.json': '{"version": 1, "launches": {}}' });
    symlinkSync(join(folder, 'other.json'), join(folder, 'trust.json'));
    await consent(project({ a: run }), storeAt(join(folder, 'trust.json')), true);
    expect(readFileSync(join(folder, 'other.json'), 'utf8')).toBe('{"version": 1, "launches": {}}');
    mkdirSync(join(folder, 'folder'));
    expect((await consent(project({ a: run }), storeAt(join(folder, 'folder')), true)).started).toEqual([
      'a',
    ]);
  });
});
