import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { demoWeightsPath } from '../../../src/model/demo-model.ts';
import { codeBlocks } from '../../docs/command-lines.ts';
import { HubStandIn, repository } from '../../fixtures/hub/hub-stand-in.mjs';
import { ROOT } from '../program.ts';
import { GRANITE, LIMIT_MS, placeWithProgram, runLines, TOKENIZER } from './documented-lines.ts';

const filesOf = (folder: string): Record<string, Buffer> =>
  Object.fromEntries(readdirSync(folder).map(name => [name, readFileSync(join(folder, name))]));

test('lines about models of the Hub, with a stand-in of it', { timeout: LIMIT_MS }, async () => {
  const files = filesOf(GRANITE);
  const model = repository({ ...files, 'tokenizer.json': TOKENIZER }, { refs: ['main', 'v1'] });
  const hub = await HubStandIn.start({ 'ibm-granite/granite-4.0-1b': model });
  onTestFinished(() => hub.close());
  const { cwd, env } = placeWithProgram({ 'mcp.json': '{ "servers": {} }' });
  const cache = join(cwd, 'hub');
  await runLines('hub', { cwd, env: { ...env, HF_ENDPOINT: hub.endpoint, HF_HUB_CACHE: cache } });
  expect(hub.sent['model.safetensors']).toBe(files['model.safetensors']?.length);
  expect(readdirSync(cache).filter(name => name.startsWith('models--'))).toEqual([]);
});

test("lines about one's own models and servers", { timeout: LIMIT_MS }, async () => {
  const { cwd, env } = placeWithProgram({});
  symlinkSync(join(ROOT, 'dist'), join(cwd, 'dist'));
  const folder = join(cwd, 'path', 'to', 'model-folder');
  cpSync(GRANITE, folder, { recursive: true });
  writeFileSync(join(folder, 'tokenizer.json'), TOKENIZER);
  symlinkSync(demoWeightsPath(env), join(cwd, 'path', 'to', 'model.gguf'));
  writeFileSync(join(cwd, 'file.json'), '{ "const": true }');
  const hosts = codeBlocks('json').find(({ page }) => page === 'docs/distributed.md');
  writeFileSync(join(cwd, 'hosts.json'), hosts?.text ?? '');
  await runLines('application', { cwd, env });
});
