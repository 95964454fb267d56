import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AppConfig } from '../../../src/cli/settings/config-file.ts';
import { refuseDownload } from '../../../src/cli/settings/project-config.ts';
import { findConfig, loadSettings } from '../../../src/cli/settings/settings.ts';
import { hubPlace } from '../../hub/hub-place.ts';
import { tempFolder } from '../../model/temp-folder.ts';

type Part = Omit<AppConfig, 'SystemPrompt'>;

/** A project with links out of it, and its config.json. */
function project(config: Part) {
  const cwd = tempFolder();
  const home = tempFolder();
  mkdirSync(join(cwd, 'logs'));
  writeFileSync(join(home, '.bashrc'), '');
  symlinkSync(join(home, '.bashrc'), join(cwd, 'linked.log'));
  symlinkSync(join(home, '.zshrc'), join(cwd, 'dangling.log'));
  symlinkSync(home, join(cwd, 'away'));
  writeFileSync(join(cwd, 'config.json'), JSON.stringify({ SystemPrompt: 'x', ...config }));
  return { cwd, env: { HOME: home } };
}

const given: readonly [string, Part][] = [
  ['tools.approval', { tools: { approval: 'auto', timeout: 5 } }],
  ['tools.audit', { tools: { audit: false, timeout: 5 } }],
  ['tools.metricsFile', { tools: { metricsFile: '../calls.jsonl', timeout: 5 } }],
  ['logging.file', { logging: { file: '/tmp/elsewhere/x.log' }, tools: { timeout: 5 } }],
  ['logging.file', { logging: { file: 'linked.log' }, tools: { timeout: 5 } }],
  ['logging.file', { logging: { file: 'dangling.log' }, tools: { timeout: 5 } }],
  ['logging.file', { logging: { file: 'away/new/x.log' }, tools: { timeout: 5 } }],
  ['logging.file', { logging: { file: '.' }, tools: { timeout: 5 } }],
  ['ollama.base_url', { ollama: { base_url: 'http://localhost.example:11434' }, tools: { timeout: 5 } }],
];

test.each(given)('a project decides no %s: %j', (field, config) => {
  const where = project(config);
  const [section = '', key = ''] = field.split('.');
  const valueIn = (read: object = {}) => (read as Record<string, Record<string, unknown>>)[section]?.[key];
  const { config: read, notices } = loadSettings({ mcp: false }, false, where);
  expect(valueIn(read)).toBeUndefined();
  expect(valueIn(findConfig(where))).toBeUndefined();
  expect(read.tools?.timeout).toBe(5);
  const path = join(where.cwd, 'config.json');
  expect(notices).toEqual([
    `${path} came with the working directory, so ${field} in it is left out; to use it, name the file: --config config.json`,
  ]);
  const named = loadSettings({ mcp: false, config: ['config.json'] }, false, where);
  expect(named).toMatchObject({ config, notices: [] });
});

test('what it leaves out is told in one notice', () => {
  const where = project({ tools: { approval: 'auto', audit: false } });
  const { notices } = loadSettings({ mcp: false }, false, where);
  expect(notices).toEqual([
    expect.stringContaining('so tools.approval, tools.audit in it are left out; to use them, name'),
  ]);
});

test.each<Part>([
  { tools: { approval: 'ask', audit: true, metricsFile: 'calls.jsonl', blocked: ['x'] } },
  { logging: { level: 'debug', file: 'logs/new/x.log' } },
  ...['http://localhost:1', 'http://127.0.0.1:11434', 'https://[::1]/'].map(base_url => ({
    ollama: { base_url, model: 'm' },
  })),
])('what harms nobody holds: %j', config => {
  const { config: read, notices } = loadSettings({ mcp: false }, false, project(config));
  expect(read).toMatchObject(config);
  expect(notices).toEqual([]);
});

test('a model is downloaded once the user has named it', async () => {
  const { cache, env, pull } = await hubPlace();
  const id = { repo: 'org/model', revision: 'main', source: 'org/model' };
  const refuse = () => refuseDownload('/p/config.json', 'model', id, { ...env, HF_HUB_CACHE: cache });
  expect(refuse).toThrow("its model 'org/model' is not on this machine");
  await pull();
  expect(refuse).not.toThrow();
});

test("the user's own folder decides all, also as the working directory", () => {
  const { cwd, env: given } = project({});
  const env = { ...given, XDG_CONFIG_HOME: given.HOME };
  const own = join(env.XDG_CONFIG_HOME, 'llm-host');
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'config.json'), '{ "SystemPrompt": "x", "tools": { "approval": "auto" } }');
  for (const place of [join(cwd, 'logs'), own]) {
    const { config, notices } = loadSettings({ mcp: false }, false, { cwd: place, env });
    expect(config.tools).toEqual({ approval: 'auto' });
    expect(notices).toEqual([]);
  }
});
