import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkEngine } from '../../../src/cli/doctor/check-engine.ts';
import { checkCache, checkHub } from '../../../src/cli/doctor/check-hub.ts';
import { checkMemory, checkNode } from '../../../src/cli/doctor/check-machine.ts';
import type { Finding } from '../../../src/cli/doctor/finding.ts';
import { MAIN, runProgram, workplace } from '../../e2e/program.ts';
import { hubPlace } from '../../hub/hub-place.ts';
import { tempFolder } from '../../model/temp-folder.ts';

test('Node: too old is an error', () => {
  expect(checkNode('20.19.0').state).toBe('ok');
  expect(checkNode('22.0.0').state).toBe('ok');
  expect(checkNode('20.18.9')).toMatchObject({
    state: 'error',
    fix: 'Get it from nodejs.org.',
    exitCode: 69,
  });
});

test('memory: little of it is a warning', () => {
  expect(checkMemory(8e9)).toMatchObject({ state: 'ok', message: '8.00 GB available' });
  expect(checkMemory(1e9)).toMatchObject({ state: 'warning', fix: expect.stringContaining('--quantize 4') });
});

describe('the engine, tried in a process of its own', () => {
  const tryText = async (text: string): Promise<Finding> => {
    const folder = tempFolder({ 'addon.cjs': text });
    const [finding] = await checkEngine([join(folder, 'addon.cjs')]);
    return finding as Finding;
  };
  const addon = (built: string, found: string, more = '') =>
    `module.exports = { versions: { mlxBuilt: '${built}', mlxLoaded: '${found}' }, memory() {${more}} };`;

  test('loads', async () => {
    expect(await tryText(addon('1.2.3', '1.2.3'))).toMatchObject({
      state: 'ok',
      message: expect.stringMatching(/^MLX 1\.2\.3 on the [CG]PU: \/.*addon\.cjs$/),
    });
  });

  test('a crash, an error, another MLX, no file: each with its fix; the next candidate is tried', async () => {
    const crash = await tryText(addon('1', '1', 'process.kill(process.pid, "SIGSEGV")'));
    expect(crash.message).toContain('it crashed Node (SIGSEGV)');
    expect(crash.state).toBe('error');
    expect(crash.exitCode).toBe(69);
    const missing = await tryText(`throw new Error('libmlx.so: cannot open shared object file')`);
    expect(missing.message).toContain('libmlx.so: cannot open shared object file');
    expect(missing.fix).toContain('The MLX library is missing.');
    expect((await tryText(addon('1', '2'))).fix).toContain('built for another version of MLX');
    expect((await checkEngine(['/nowhere/x.node']))[0]?.fix).toContain('npm run bootstrap');
    const folder = tempFolder({ 'good.cjs': addon('3', '3') });
    expect(await checkEngine(['/nowhere/x.node', join(folder, 'good.cjs')])).toMatchObject([
      { state: 'warning', message: 'a faster build does not load: /nowhere/x.node: no such file' },
      { state: 'ok' },
    ]);
  });
});

describe('the Hub', () => {
  test('answers with and without a token; refuses one; is away; is not asked', async () => {
    const { hub, env } = await hubPlace();
    hub.fault = ({ authorization }) => ({ status: authorization === 'Bearer hf_good' ? 200 : 401 });
    expect(await checkHub(env)).toMatchObject({
      state: 'ok',
      message: expect.stringContaining('no token is set'),
    });
    expect(await checkHub({ ...env, HF_TOKEN: 'hf_good' })).toMatchObject({ state: 'ok' });
    expect(await checkHub({ ...env, HF_TOKEN: 'hf_revoked' })).toMatchObject({
      state: 'error',
      message: `${hub.endpoint} rejects the token in HF_TOKEN (401)`,
      exitCode: 78,
    });
    expect(await checkHub({ ...env, HF_ENDPOINT: 'http://127.0.0.1:1' })).toMatchObject({
      state: 'warning',
      message: '127.0.0.1:1 cannot be reached (ECONNREFUSED).',
      fix: expect.stringContaining('HTTPS_PROXY'),
    });
    expect(await checkHub({ ...env, HF_ENDPOINT: 'nonsense' })).toMatchObject({
      state: 'error',
      exitCode: 78,
    });
    expect(await checkHub({ ...env, HF_HUB_OFFLINE: '1' })).toMatchObject({
      state: 'ok',
      message: 'not asked: HF_HUB_OFFLINE is set',
    });
  });

  test('its cache: models counted; a file in its place', async () => {
    const { env, pull } = await hubPlace();
    expect(checkCache(env).message).toContain(': 0 models, ');
    await pull();
    expect(checkCache(env).message).toContain(': 1 model, ');
    const file = join(tempFolder({ file: '' }), 'file');
    expect(checkCache({ HF_HUB_CACHE: file })).toMatchObject({
      state: 'warning',
      fix: 'Set HF_HUB_CACHE to a writable folder.',
    });
  });
});

describe('the whole command', () => {
  const environment = { HF_HUB_OFFLINE: '1' };

  test('all is well: one line each, exit 0', async () => {
    const servers = { calculator: { command: 'llm-host', args: ['server', 'calculator'] } };
    const { dir, env } = workplace({
      'config.json': '{ "SystemPrompt": "x" }',
      'mcp.json': JSON.stringify({ servers }),
    });
    const { stdout, code } = await runProgram(MAIN, ['doctor'], {
      cwd: dir,
      env: { ...env, ...environment },
    });
    for (const check of ['node', 'engine', 'memory', 'cache', 'hub', 'config.json', 'mcp.json']) {
      expect(stdout).toMatch(new RegExp(`^(ok|warning) +${check}: `, 'm'));
    }
    expect(stdout).toMatch(/^ok +engine: MLX [\d.]+ on the [CG]PU: /m);
    expect(stdout).toMatch(/^ok +server calculator: ready, 6 tools$/m);
    expect(code).toBe(0);
  });

  test('what is wrong, as JSON: every finding has its fix; the exit code of the first error', async () => {
    const servers = { gone: { command: '/nowhere/server' }, odd: { command: 5 } };
    const { dir, env } = workplace({
      'config.json': '{ "SystemPrompt": "x", "samplin": {} }',
      'mcp.json': JSON.stringify({ servers }),
      'addon.node': 'no addon',
    });
    const broken = { ...env, ...environment, LLM_HOST_ADDON: join(dir, 'addon.node') };
    const { stdout, code } = await runProgram(MAIN, ['doctor', '--json'], { cwd: dir, env: broken });
    const { findings } = JSON.parse(stdout) as { findings: Finding[] };
    for (const { state, fix } of findings) expect(state === 'ok' || (fix ?? '') !== '').toBe(true);
    const bad = findings.filter(({ state }) => state !== 'ok').map(({ check }) => check);
    expect(bad).toEqual(expect.arrayContaining(['engine', 'config.json', 'server gone']));
    expect(JSON.stringify(findings)).toContain("unknown key 'samplin'; did you mean 'sampling'?");
    expect(code).toBe(69);
  });

  test('a configuration that is no JSON: exit 78', async () => {
    const { dir, env } = workplace({ 'config.json': '{', 'mcp.json': '{ "servers": {} }' });
    writeFileSync(join(dir, 'mcp.json'), '[');
    chmodSync(join(dir, 'mcp.json'), 0o600);
    const { stdout, code } = await runProgram(MAIN, ['doctor'], {
      cwd: dir,
      env: { ...env, ...environment },
    });
    expect(stdout).toMatch(/^ERROR +config\.json: Invalid JSON in config\.json: .*\n +File: /m);
    expect(stdout).toMatch(/^ERROR +mcp\.json: Invalid JSON in mcp\.json: /m);
    expect(code).toBe(78);
  });
});
