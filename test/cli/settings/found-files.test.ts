import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../../src/cli/settings/settings.ts';
import { tempFolder } from '../../model/temp-folder.ts';

const FOREIGN = '{ "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64 }';

/** A working directory with a config.json of this text, or none, and the user's configuration folder. */
function place(config?: string) {
  const cwd = tempFolder();
  if (config !== undefined) writeFileSync(join(cwd, 'config.json'), config);
  const user = join(cwd, 'home', 'llm-host');
  mkdirSync(user, { recursive: true });
  return { cwd, user, env: { HOME: cwd, XDG_CONFIG_HOME: join(cwd, 'home') } };
}

test.each([
  ['config.json', {}],
  ['mcp.json', { system: 'x' }],
])('%s missing: the places searched and the fix', (name, args) => {
  const where = place();
  expect(() => loadSettings(args, false, where)).toThrow(
    expect.objectContaining({
      code: 'CONFIG',
      message: `${name} not found in application directory`,
      hint: expect.stringMatching(/^Searched:\n[\s\S]*\nRun `llm-host init`/),
    }),
  );
  for (const folder of [where.cwd, where.user])
    expect(() => loadSettings(args, false, where)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining(`  ${join(folder, name)}\n`) }),
    );
});

test("a model's own config.json is passed over with a notice, and the search goes on", () => {
  const where = place(FOREIGN);
  writeFileSync(join(where.user, 'config.json'), '{ "SystemPrompt": "x", "model": "org/mine" }');
  const { config, notices } = loadSettings({ mcp: false }, false, where);
  expect(config.model).toBe('org/mine');
  expect(notices).toEqual([`${join(where.cwd, 'config.json')} has none of llm-host's keys: passed over`]);
});

test('only config.json files of others: the error names them', () => {
  const where = place(FOREIGN);
  expect(() => loadSettings({ mcp: false }, false, where)).toThrow(
    expect.objectContaining({
      hint: expect.stringContaining(`  ${join(where.cwd, 'config.json')} (has none of llm-host's keys)\n`),
    }),
  );
});

test.each([{ system: 'Be brief.' }, { prompt: 'Hello' }])('%j needs no config.json', args => {
  const { configPaths, mcpFiles } = loadSettings({ ...args, mcp: false }, false, place());
  expect([configPaths, mcpFiles]).toEqual([[], undefined]);
});
