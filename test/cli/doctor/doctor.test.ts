import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkEngine, checkMemory, checkNode, deviceFindings } from '../../../src/cli/doctor/check-engine.ts';
import { checkCache, checkHub } from '../../../src/cli/doctor/check-hub.ts';
import type { Finding } from '../../../src/cli/doctor/finding.ts';
import type { DeviceReport } from '../../../src/native/addon-types.ts';
import { MAIN, runProgram, workplace } from '../../e2e/program.ts';
import { hubPlace } from '../../hub/hub-place.ts';
import { tempFolder } from '../../model/temp-folder.ts';

test('Node: too old is an error', () => {
  expect(checkNode('22.13.0').state).toBe('ok');
  expect(checkNode('24.0.0').state).toBe('ok');
  expect(checkNode('22.12.9')).toMatchObject({
    state: 'error',
    fix: 'Get it from nodejs.org.',
    exitCode: 69,
  });
});

test('memory: little of it is a warning', () => {
  expect(checkMemory(8e9)).toMatchObject({ state: 'ok', message: '8.00 GB available' });
  expect(checkMemory(1e9)).toMatchObject({ state: 'warning', fix: expect.stringContaining('--quantize 4') });
});

const REPORT: DeviceReport = {
  device: 'gpu Apple M9',
  workingSetBytes: 12e9,
  totalBytes: 16e9,
  freeBytes: 0,
  kernels: [
    { name: 'matrix product', error: '' },
    { name: 'norm', error: '' },
  ],
};

describe('the device', () => {
  /** The first bytes of MLX's own library for a version of macOS. */
  const metallib = (major: number, minor: number, size: number): Buffer => {
    const header = Buffer.from('4d544c4201800200070000810e0000000000000000000000', 'hex');
    header.writeUInt16LE(major, 12);
    header.writeUInt16LE(minor, 14);
    header.writeBigUInt64LE(BigInt(size), 16);
    return header;
  };
  const place = (library?: Buffer): string => {
    const folder = tempFolder({ 'build/Release/x': '', 'vendor/mlx/lib/x': '' });
    if (library) writeFileSync(join(folder, 'vendor/mlx/lib/mlx.metallib'), library);
    return join(folder, 'build/Release/llm_host.node');
  };

  test.each<[string, Partial<DeviceReport>, string]>([
    ['Metal', {}, 'gpu Apple M9, 12.00 GB for models of 16.00 GB of memory'],
    ['CUDA', { workingSetBytes: 0, freeBytes: 9e9 }, 'gpu Apple M9, 9.00 GB free of 16.00 GB of memory'],
    ['a CPU', { device: 'cpu', workingSetBytes: 0, totalBytes: 0 }, 'cpu'],
  ])('%s: its name and memory', (_, change, says) => {
    expect(deviceFindings({ ...REPORT, ...change }, place())).toEqual([
      { check: 'device', state: 'ok', message: `${says}; all 2 kinds of kernels compute what they should` },
    ]);
  });

  test('wrong results are an error that names the kernel', () => {
    const kernels = [...REPORT.kernels, { name: 'sort', error: 'in float16 it is off by 2, of at most 1' }];
    expect(deviceFindings({ ...REPORT, kernels }, place())).toMatchObject([
      {
        state: 'error',
        message: expect.stringContaining('wrong results. sort: in float16 it is off by 2'),
        exitCode: 69,
      },
    ]);
  });

  test('the Metal library: its system, or what is broken about it', () => {
    const about = (library: Buffer) => deviceFindings(REPORT, place(library))[1];
    const whole = Buffer.concat([metallib(26, 2, 1000), Buffer.alloc(976)]);
    expect(about(whole)).toMatchObject({
      state: 'ok',
      message: expect.stringMatching(/^kernels for macOS 26\.2, 1 kB: /),
    });
    for (const [library, says] of [
      [metallib(14, 0, 1000), 'it has 24 bytes instead of 1000'],
      [Buffer.from('404: not found, of some length'), 'it is not a Metal library'],
      [Buffer.alloc(0), 'it is not a Metal library'],
      [Buffer.concat([metallib(14, 0, 24)]).fill(0x82, 11, 12), 'it is not for macOS'],
    ] as const) {
      expect(about(library)).toMatchObject({ state: 'error', message: expect.stringContaining(says) });
    }
  });
});

describe('the engine, tried in a process of its own', () => {
  const tryText = async (text: string): Promise<Finding> => {
    const folder = tempFolder({ 'addon.cjs': text });
    const [finding] = await checkEngine([join(folder, 'addon.cjs')]);
    return finding as Finding;
  };
  const addon = (built: string, found: string, more = '') =>
    `module.exports = {
      versions: { mlxBuilt: '${built}', mlxLoaded: '${found}' },
      shutdown() {},
      async probe() {${more}; return ${JSON.stringify(REPORT)}; },
    };`;

  test('loads', async () => {
    expect(await tryText(addon('1.2.3', '1.2.3'))).toMatchObject({
      state: 'ok',
      message: expect.stringMatching(/^MLX 1\.2\.3: \/.*addon\.cjs$/),
    });
  });

  test('MLX that cannot start is an error with its reason', async () => {
    const finding = await tryText(addon('1', '1', 'throw new Error("starting MLX: the GPU cannot be used")'));
    expect(finding).toMatchObject({ state: 'error', exitCode: 69 });
    expect(finding.message).toContain('starting MLX: the GPU cannot be used');
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
      { check: 'engine', state: 'ok' },
      { check: 'device', state: 'ok' },
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
    expect(stdout).toMatch(/^ok +engine: MLX [\d.]+: /m);
    expect(stdout).toMatch(/^ok +device: .+; all 16 kinds of kernels compute what they should$/m);
    expect(stdout).toMatch(/^ok +server calculator: ready, 6 tools$/m);
    expect(stdout).toMatch(/^ok +tool definitions: \d+ tokens, estimated: calculator \d+$/m);
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
