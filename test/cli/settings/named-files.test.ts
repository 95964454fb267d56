// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of mcp.json look like that
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configuredSource, withItsFile } from '../../../src/cli/settings/model-source.ts';
import { loadSettings } from '../../../src/cli/settings/settings.ts';
import { LlmHostError } from '../../../src/errors.ts';
import { prepareServers } from '../../../src/run/prepare-servers.ts';
import { tempFolder } from '../../model/temp-folder.ts';

const OF_CONFIG: Readonly<Record<string, string | Uint8Array>> = {
  'no JSON': '{ "SystemPrompt": ',
  empty: '',
  'nested too deep': `{"SystemPrompt":${'['.repeat(200)}`,
  'not an object': '[]',
  'a missing field': '{ "model": "x" }',
  'a wrong type': '{ "SystemPrompt": 1 }',
  'out of range': '{ "SystemPrompt": "", "sampling": { "topP": 2 } }',
  'no choice': '{ "SystemPrompt": "", "theme": "pink" }',
  'an unknown style': '{ "SystemPrompt": "", "promptStyle": "mine" }',
  'a useless style': '{ "SystemPrompt": "", "promptStyles": { "mine": { "opener": "x", "closer": "x" } } }',
  'a useless format':
    '{ "SystemPrompt": "", "toolFormats": [{ "id": "a", "when": ["x"], "opener": "x", "closer": "x" }] }',
  'no address': '{ "SystemPrompt": "", "ollama": { "base_url": "localhost:11434" } }',
  'not UTF-8': Buffer.from([0x7b, 0xff, 0x7d]),
  'too large': `{ "SystemPrompt": "${'x'.repeat(5 * 1024 * 1024)}" }`,
};

const entry = (fields: object) => JSON.stringify({ servers: { x: fields } });

const OF_MCP: Readonly<Record<string, string | Uint8Array>> = {
  'no JSON': '{ "servers": ',
  'neither object nor list': '1',
  'too many characters': ' '.repeat(1024 * 1024 + 1),
  'not UTF-8': Buffer.from([0x7b, 0xff, 0x7d]),
  'no servers': '{}',
  'servers that are no list': '{ "servers": 1 }',
  'an unknown top key': '{ "servers": {}, "severs": {} }',
  'an unknown key': entry({ command: 'true', arg: 1 }),
  'an empty name': '{ "servers": { " ": {} } }',
  'no command': entry({}),
  'two ways': entry({ command: 'true', url: 'https://x.example/' }),
  'wrong arguments': entry({ command: 'true', args: 1 }),
  'a wrong limit': entry({ command: 'true', timeout: 'long' }),
  'a strange limit': entry({ command: 'true', timeout: 5 }),
  'a wrong flag': entry({ command: 'true', disabled: 'yes' }),
  'a wrong rule': entry({ command: 'true', approval: 'perhaps' }),
  'a sandbox': entry({ command: 'true', sandbox: true }),
  'a wrong header': entry({ url: 'https://x.example/', headers: { 'a b': 'x' } }),
  'a wrong url': entry({ url: 'ftp://x.example/' }),
  'a wrong login': entry({ url: 'https://x.example/', oauth: { callbackPort: 'x' } }),
  'a variable that is not set': entry({ command: '${NOBODY_SETS_THIS}' }),
  'an unknown variable': entry({ command: '${config:x}' }),
  'an open variable': entry({ command: '${HOME' }),
  'an input without a value': JSON.stringify({
    inputs: [{ type: 'promptString', id: 'key' }],
    servers: { x: { command: '${input:key}' } },
  }),
  'an input that is not there': entry({ command: '${input:key}' }),
  'a broken input': JSON.stringify({ inputs: [{ type: 'x', id: 'key' }], servers: {} }),
  'an env file that is not there': entry({ command: 'true', envFile: 'none.env' }),
  'a name twice': '{ "servers": { "x": { "command": "true" }, "x": { "command": "true" } } }',
};

/** Another folder than the working directory, so that only a whole path says which file is meant. */
function fileWith(name: string, text: string | Uint8Array) {
  const folder = tempFolder();
  const [cwd, home, elsewhere] = ['work', 'home', 'elsewhere'].map(one => join(folder, one)) as [
    string,
    string,
    string,
  ];
  for (const one of [cwd, home, elsewhere]) mkdirSync(one);
  const path = join(elsewhere, name);
  writeFileSync(path, text);
  return { path, where: { cwd, env: { HOME: home, XDG_CONFIG_HOME: home } } };
}

const shown = (error: unknown): string =>
  error instanceof LlmHostError ? `${error.message}\n${error.hint ?? ''}` : `unexpected: ${error}`;

describe('what is wrong with a configuration file is said with its name and path', () => {
  test.each(Object.entries(OF_CONFIG))('config file: %s', (_fault, text) => {
    const { path, where } = fileWith('mine.json', text);
    let said = 'nothing';
    try {
      loadSettings({ config: [path], mcp: false }, false, where);
    } catch (error) {
      said = shown(error);
    }
    expect(said).toContain(path);
    expect(said.replaceAll('config.schema.json', '')).not.toContain('config.json');
  });

  test('config file: an unknown key', () => {
    const { path, where } = fileWith('mine.json', '{ "SystemPrompt": "", "modell": "x" }');
    const { warnings } = loadSettings({ config: [path], mcp: false }, false, where);
    expect(warnings).toEqual([`${path}:1: unknown key 'modell'; did you mean 'model'?`]);
  });

  test('config file: a model that is not there, or none at all', () => {
    const missing = new LlmHostError('MODEL_NOT_FOUND', "Model 'x' not found", { hint: 'Why.' });
    expect(shown(withItsFile(missing, { configPaths: ['/a/mine.json'] }))).toBe(
      "Model 'x' not found\nWhy.\nThe model is named in /a/mine.json.",
    );
    expect(withItsFile(missing, { configPaths: [] })).toBe(missing);
    const settings = { config: { SystemPrompt: '' }, configPaths: ['/a/mine.json'] };
    expect(() => configuredSource({}, settings, { cwd: '/' })).toThrow(
      expect.objectContaining({ message: 'missing model', hint: 'Nor does /a/mine.json name one.' }),
    );
  });

  test.each(Object.entries(OF_MCP))('mcp file: %s', async (_fault, text) => {
    const { path, where } = fileWith('my-servers.json', text);
    const said: string[] = [];
    try {
      const { mcpFiles = [] } = loadSettings({ system: 'x', mcp: [path] }, false, where);
      const read = await prepareServers(mcpFiles, { ...where, stateFolder: where.cwd });
      said.push(...read.warnings, ...read.failures.map(({ error }) => error));
    } catch (error) {
      said.push(shown(error));
    }
    expect(said).not.toEqual([]);
    for (const one of said) expect(one).toContain(path);
  });
});
