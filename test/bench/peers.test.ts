import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findPeer } from '../../src/bench/peers.ts';
import { tempFolder } from '../model/temp-folder.ts';
import { thrown, thrownHint } from '../model/thrown.ts';

const NOTHING = { gguf: undefined, folder: undefined };

/** A folder with both peers, as far as they are looked at; its python is a shell script. */
function peers(python = 'echo made > "$3/config.json"'): { env: NodeJS.ProcessEnv; folder: string } {
  const folder = tempFolder();
  const bin = join(folder, 'venv', 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'mlx_lm.generate'), '');
  writeFileSync(join(bin, 'python'), `#!/bin/sh\nmkdir -p "$3"\n${python}\n`);
  chmodSync(join(bin, 'python'), 0o755);
  const package_ = join(folder, 'node_modules', 'node-llama-cpp');
  mkdirSync(package_, { recursive: true });
  writeFileSync(join(package_, 'package.json'), '{}');
  return { env: { LLM_HOST_BENCH_PEERS: folder }, folder };
}

describe('peers that are found', () => {
  test('each with the weights in its own form', () => {
    const { env, folder } = peers();
    const models = { gguf: '/m.gguf', folder: '/m' };
    const llama = findPeer('llama.cpp', models, env);
    expect(llama).toMatchObject({ model: '/m.gguf', runner: { command: process.execPath } });
    expect(llama.runner.args[1]).toBe(folder);
    const mlx = findPeer('mlx-lm', models, env);
    expect(mlx).toMatchObject({ model: '/m', runner: { command: join(folder, 'venv', 'bin', 'python') } });
    for (const { runner } of [llama, mlx]) expect(existsSync(runner.args[0] as string)).toBe(true);
  });

  test('mlx-lm in an activated virtual environment', () => {
    const { folder } = peers();
    const env = { LLM_HOST_BENCH_PEERS: tempFolder(), VIRTUAL_ENV: join(folder, 'venv') };
    const { runner } = findPeer('mlx-lm', { ...NOTHING, folder: '/m' }, env);
    expect(runner.command).toBe(join(folder, 'venv', 'bin', 'python'));
  });

  test('a GGUF file is converted once, and again when it has changed', () => {
    const { env, folder } = peers();
    const gguf = join(folder, 'weights.gguf');
    writeFileSync(gguf, 'one');
    const { model } = findPeer('mlx-lm', { ...NOTHING, gguf }, env);
    expect(existsSync(join(model, 'config.json'))).toBe(true);
    expect(findPeer('mlx-lm', { ...NOTHING, gguf }, env).model).toBe(model);
    writeFileSync(gguf, 'another');
    expect(findPeer('mlx-lm', { ...NOTHING, gguf }, env).model).not.toBe(model);
  });

  test('a conversion that fails is told, and leaves nothing to be taken for a model', () => {
    const { env, folder } = peers('echo "is of the architecture mamba, not llama" >&2\nexit 1');
    const gguf = join(folder, 'weights.gguf');
    writeFileSync(gguf, 'one');
    const convert = () => findPeer('mlx-lm', { ...NOTHING, gguf }, env);
    expect(thrown(convert)).toMatch(/^ENGINE: .*weights\.gguf could not be converted.*mamba, not llama/);
    expect(readdirSync(join(folder, 'models')).filter(name => !name.endsWith('.new'))).toEqual([]);
    expect(thrown(convert)).toMatch(/^ENGINE: /);
  });
});

test.each(['mlx-lm', 'llama.cpp'] as const)('%s that is missing, or has no model, is refused', name => {
  const missing = () => findPeer(name, NOTHING, { LLM_HOST_BENCH_PEERS: tempFolder() });
  expect(thrown(missing)).toMatch(`ENGINE_UNAVAILABLE: --compare: ${name} is not installed`);
  expect(thrownHint(missing)).toMatch(/^Install the peers with: node \/.*\/peers\/install\.mjs$/);
  const { env } = peers();
  const noModel = () => findPeer(name, NOTHING, env);
  expect(thrown(noModel)).toMatch(`USAGE: --compare: ${name} needs the same weights`);
  expect(thrownHint(noModel)).toContain(`--${name.replace('.', '-')}-model`);
});
