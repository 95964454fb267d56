import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { missingFiles } from '../../src/hub/snapshot-state.ts';
import { contentOf, hubPlace, tree, WEIGHTS } from './hub-place.ts';

/** A Python with huggingface_hub; LLM_HOST_HUB_PYTHON names one that is not the first in the PATH. */
const python = [process.env.LLM_HOST_HUB_PYTHON, 'python3'].find(
  command => command && spawnSync(command, ['-c', 'import huggingface_hub']).status === 0,
);

const DOWNLOAD = `
import sys
from huggingface_hub import snapshot_download
patterns = ["*.json", "*.jinja", "*.safetensors"]
print(snapshot_download("org/model", revision=sys.argv[1], allow_patterns=patterns, ignore_patterns=["onnx/*"]))`;
const SCAN = `
import json
from huggingface_hub import scan_cache_dir
info = scan_cache_dir()
assert not info.warnings, info.warnings
print(json.dumps([[repo.repo_id, [[r.commit_hash, sorted(r.refs), sorted(f.file_name for f in r.files)] for r in repo.revisions]] for repo in info.repos]))`;

describe.skipIf(!python)('huggingface_hub (needs a Python that has it: LLM_HOST_HUB_PYTHON)', () => {
  async function run(env: NodeJS.ProcessEnv, script: string, ...args: string[]): Promise<string> {
    const child = spawn(python as string, ['-c', script, ...args], {
      env: { PATH: process.env.PATH, HF_HUB_DISABLE_XET: '1', HF_HUB_DISABLE_TELEMETRY: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', chunk => {
      stdout += chunk;
    });
    child.stderr.on('data', chunk => {
      stderr += chunk;
    });
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(stderr);
    return stdout.trim();
  }

  test('what it downloaded is used, nothing is fetched again', async () => {
    const { hub, cache, env, pull } = await hubPlace();
    const folder = await run(env, DOWNLOAD, 'main');
    expect(missingFiles(folder)).toEqual([]);
    const before = hub.sentBytes;
    const written = tree(join(cache, 'models--org--model'));
    expect(await pull()).toMatchObject({ folder, receivedBytes: 0 });
    expect(hub.sentBytes).toBe(before);
    expect(tree(join(cache, 'models--org--model'))).toEqual(written);
    expect((await pull('org/model', { env: { ...env, HF_HUB_OFFLINE: '1' } })).folder).toBe(folder);
  });

  test('what we downloaded is used by it, nothing is fetched again', async () => {
    const { hub, env, pull } = await hubPlace();
    const { folder, commit } = await pull();
    const before = hub.sentBytes;
    expect(await run(env, DOWNLOAD, 'main')).toBe(folder);
    expect(await run(env, DOWNLOAD, commit)).toBe(folder);
    expect(hub.sentBytes).toBe(before);
    expect(await run({ ...env, HF_HUB_OFFLINE: '1' }, DOWNLOAD, 'main')).toBe(folder);
    const files = ['chat_template.jinja', 'config.json', 'model.safetensors', 'tokenizer.json'];
    expect(JSON.parse(await run(env, SCAN))).toEqual([['org/model', [[commit, ['main'], files]]]]);
    expect(contentOf(folder, 'model.safetensors').equals(WEIGHTS)).toBe(true);
  });

  test('what it has only in part is completed, and the other way', async () => {
    const { hub, env, pull } = await hubPlace();
    const part = `from huggingface_hub import hf_hub_download\nprint(hf_hub_download("org/model", "model.safetensors"))`;
    const file = await run(env, part);
    const { folder } = await pull();
    expect(join(folder, 'model.safetensors')).toBe(file);
    expect(hub.sent['model.safetensors']).toBe(WEIGHTS.length);
    // Broken off by us in the middle, done by it, then complete for us.
    const other = await hubPlace();
    other.hub.fault = ({ place }) => (place === 'cdn' ? { status: 403 } : undefined);
    await other.failure();
    other.hub.fault = () => undefined;
    const done = await run(other.env, DOWNLOAD, 'main');
    expect((await other.pull()).folder).toBe(done);
    expect(missingFiles(done)).toEqual([]);
    expect(other.hub.sent['model.safetensors']).toBe(WEIGHTS.length);
  });
});
