import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadEngine } from '../../src/engine/load-engine.ts';
import { repository } from '../fixtures/hub/hub-stand-in.mjs';
import { hubPlace } from './hub-place.ts';

const TINY = new URL('../fixtures/models/tiny-f32/', import.meta.url);
const tiny = (name: string) => readFileSync(new URL(name, TINY));

test('a Hub id is downloaded, then loaded; the second time the Hub is not asked', async () => {
  const files = { 'config.json': tiny('config.json'), 'model.safetensors': tiny('model.safetensors') };
  const { hub, cache, env } = await hubPlace({ 'org/tiny': repository(files) });
  const seen: number[] = [];
  const options = {
    env,
    cwd: join(cache, '..'),
    onDownload: ({ doneBytes }: { doneBytes: number }) => seen.push(doneBytes),
  };
  for (const requests of [true, false]) {
    hub.requests.length = 0;
    await using engine = await loadEngine('org/tiny', options);
    const ids: number[] = [];
    for await (const { id } of engine.generate({ promptIds: [1, 2, 3], maxTokens: 4, ignoreEos: true }))
      ids.push(id);
    expect(ids.length).toBe(4);
    expect(engine.info.name).toBe('org/tiny');
    expect(hub.requests.length > 0).toBe(requests);
  }
  expect(seen.at(-1)).toBe(files['config.json'].length + files['model.safetensors'].length);
});
