import type * as fs from 'node:fs';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { cachedModels } from '../../src/hub/cached-models.ts';
import { parseHubId } from '../../src/hub/hub-id.ts';
import { removeModel } from '../../src/hub/remove-model.ts';
import { repository } from '../fixtures/hub/hub-stand-in.mjs';
import { CONFIG, contentOf, hubPlace, MODEL_FILES, tree, WEIGHTS } from './hub-place.ts';

// As exFAT answers.
vi.mock('node:fs', async original => ({
  ...(await original<typeof fs>()),
  symlinkSync: () => {
    const message = "EPERM: operation not permitted, symlink 'a' -> 'b'";
    throw Object.assign(new Error(message), { code: 'EPERM', syscall: 'symlink' });
  },
}));

const FILES = { ...MODEL_FILES, 'tokenizer_config.json': '{}', 'special_tokens_map.json': '{}' };
const BYTES = WEIGHTS.length + CONFIG.length + 12 + 14 + 2 + 2;

test('without symbolic links the files are in the snapshot themselves', async () => {
  const { cache, env, pull } = await hubPlace({ 'org/model': repository(FILES) });
  const { folder } = await pull();
  expect(tree(folder)).toEqual([
    'chat_template.jinja',
    'config.json',
    'model.safetensors',
    'special_tokens_map.json',
    'tokenizer.json',
    'tokenizer_config.json',
  ]);
  expect(contentOf(folder, 'model.safetensors').equals(WEIGHTS)).toBe(true);
  // Two files had the same content.
  expect(contentOf(folder, 'special_tokens_map.json').toString()).toBe('{}');
  expect(contentOf(folder, 'tokenizer_config.json').toString()).toBe('{}');
  expect(readdirSync(join(folder, '..', '..', 'blobs'))).toEqual([]);
  expect(cachedModels(cache)).toMatchObject([{ bytes: BYTES, revisions: [{ refs: ['main'], missing: [] }] }]);

  // Where it stopped, it goes on.
  rmSync(join(folder, 'config.json'));
  expect((await pull()).receivedBytes).toBe(CONFIG.length);

  const id = parseHubId('org/model') as NonNullable<ReturnType<typeof parseHubId>>;
  expect(await removeModel(id, { env, revisionOnly: true })).toBeGreaterThan(0);
  expect(existsSync(folder)).toBe(false);
});
