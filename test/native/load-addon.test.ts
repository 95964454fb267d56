import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LlmHostError } from '../../src/errors.ts';

const fakeAddon = (built: string, found: string) =>
  `module.exports = { versions: { mlxBuilt: '${built}', mlxLoaded: '${found}' }, shutdown() {} };`;

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'load-addon-'));
  vi.resetModules();
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true });
});

/** Loads `text` as the addon through a fresh copy of the module. */
async function loadFake(name: string, text?: string) {
  const path = join(dir, name);
  if (text !== undefined) writeFileSync(path, text);
  vi.stubEnv('LLM_HOST_ADDON', path);
  const { loadAddon } = await import('../../src/native/load-addon.ts');
  return { path, loadAddon };
}

function errorOf(work: () => unknown): LlmHostError {
  try {
    work();
  } catch (error) {
    if ((error as Error).name === 'LlmHostError') return error as LlmHostError;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('loadAddon', () => {
  it('gives the same object each time', async () => {
    const { loadAddon } = await loadFake('good.cjs', fakeAddon('1.2.3', '1.2.3'));
    expect(loadAddon().versions.mlxLoaded).toBe('1.2.3');
    expect(loadAddon()).toBe(loadAddon());
  });

  it('joins the model thread when the process exits, once', async () => {
    const { loadAddon } = await loadFake('good.cjs', fakeAddon('1.2.3', '1.2.3'));
    const before = new Set(process.listeners('exit'));
    const shutdown = vi.spyOn(loadAddon(), 'shutdown');
    loadAddon();
    const added = process.listeners('exit').filter(listener => !before.has(listener));
    expect(added).toHaveLength(1);
    for (const listener of added) {
      process.removeListener('exit', listener);
      listener(0);
    }
    expect(shutdown).toHaveBeenCalledOnce();
  });

  it('lists a missing file with its path, its reason and the fix', async () => {
    const { path, loadAddon } = await loadFake('missing.node');
    const error = errorOf(loadAddon);
    expect(error.code).toBe('ENGINE_UNAVAILABLE');
    expect(error.exitCode).toBe(69);
    expect(error.message).toContain(`${path}: no such file`);
    expect(error.hint).toContain('npm run bootstrap');
  });

  it('refuses an addon whose MLX is another version than it was built for', async () => {
    const { loadAddon } = await loadFake('pair.cjs', fakeAddon('0.32.4', '0.31.0'));
    const error = errorOf(loadAddon);
    expect(error.message).toContain('built for MLX 0.32.4, but the MLX found is 0.31.0');
    expect(error.hint).toContain('built for another version of MLX');
  });

  it('refuses a module that is not the addon', async () => {
    const { loadAddon } = await loadFake('other.cjs', 'module.exports = {};');
    expect(errorOf(loadAddon).message).toContain('not the addon of llm-host');
  });

  it('explains a file that the machine cannot load', async () => {
    const { loadAddon } = await loadFake('junk.node', 'this is not a library');
    const error = errorOf(loadAddon);
    expect(error.code).toBe('ENGINE_UNAVAILABLE');
    expect(error.message).toContain('junk.node');
    expect(error.hint).toBeTruthy();
  });

  it('tries again after a failure', async () => {
    const { path, loadAddon } = await loadFake('late.cjs');
    errorOf(loadAddon);
    writeFileSync(path, fakeAddon('1.2.3', '1.2.3'));
    expect(loadAddon().versions.mlxBuilt).toBe('1.2.3');
  });
});
