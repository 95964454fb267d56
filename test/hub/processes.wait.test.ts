import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { MAIN, Program, runProgram } from '../e2e/program.ts';
import { pseudoRandomBytes, repository, sha256 } from '../fixtures/hub/hub-stand-in.mjs';
import { ReceivedBytes } from '../fixtures/hub/received-bytes.mjs';
import { contentOf, hubPlace, MODEL_FILES, tree } from './hub-place.ts';

const LARGE = pseudoRandomBytes(20_000_000, 5);
const large = () => ({ 'org/model': repository({ ...MODEL_FILES, 'model.safetensors': LARGE }) });
const REPO = 'models--org--model';

/** A place, and the program run in it. */
async function programPlace(repositories?: Parameters<typeof hubPlace>[0]) {
  const place = await hubPlace(repositories);
  const options = { cwd: place.env.HOME as string, env: { PATH: process.env.PATH, ...place.env } };
  return {
    ...place,
    options,
    run: (...args: string[]) => runProgram(MAIN, args, options),
    start: (...args: string[]) => new Program(MAIN, args, options),
  };
}

describe('pull, list, rm', () => {
  test('say what they did, and where', async () => {
    const { hub, cache, run } = await programPlace();
    const { commit } = hub.repositories['org/model'] as { commit: string };
    const folder = join(cache, REPO, 'snapshots', commit);
    const pulled = await run('pull', 'org/model');
    expect(pulled.stdout).toMatch(
      /^org\/model: 0\.3 MB of 0\.3 MB downloaded in [\d.]+ s \([\d.]+ MB\/s\), complete at [0-9a-f]{12}\n/,
    );
    expect(pulled.stdout).toContain(`\n${folder}\n`);
    expect(pulled.stderr).toContain('Downloading org/model: 100%, 0/0 MB');
    expect(pulled.code).toBe(0);
    const again = await run('pull', 'org/model', '--json');
    expect(JSON.parse(again.stdout)).toEqual({ folder, commit, totalBytes: 0, receivedBytes: 0 });
    const listed = await run('list');
    expect(listed.stdout).toMatch(/^org\/model {2}301 kB {2}\d{4}-\d\d-\d\d {2}main\n1 model, 301 kB in /);
    const removed = await run('rm', 'org/model');
    expect([removed.stdout, removed.code]).toEqual(['Removed org/model: 301 kB freed\n', 0]);
    expect((await run('list')).stdout).toBe(`No models in ${cache}\n`);
    expect(tree(cache)).toEqual(['CACHEDIR.TAG']);
  });

  test('an error: the model, the reason, what to do; exit 66', async () => {
    const { hub, run } = await programPlace();
    const { stderr, stdout, code } = await run('pull', 'org/other');
    expect(stderr).toBe(
      `Error: Model 'org/other' not found or not accessible\n${hub.endpoint} has no model 'org/other', or it is private (401).\nCheck the name; for a private model, set HF_TOKEN to a token from https://huggingface.co/settings/tokens\n`,
    );
    expect([stdout, code]).toEqual(['', 66]);
    expect(await run('rm', 'org/other')).toMatchObject({ code: 66 });
  });

  test('names that are none, a revision where it means nothing: exit 2', async () => {
    const { run } = await programPlace();
    expect((await run('pull', './folder')).stderr).toContain(
      "Error: './folder' is not the name of a model on the Hub\nSuch a name is org/name, or org/name@revision, or an alias such as granite4:1b.\n",
    );
    const twice = await run('pull', 'org/model@v1', '--revision', 'v2');
    expect(twice.stderr).toContain("Error: --revision v2 does not apply to the model 'org/model@v1'");
    expect(twice.code).toBe(2);
  });
});

describe('a chat', () => {
  const FILES = { 'config.json': '{ "SystemPrompt": "x" }' };

  test('downloads its model, refuses a family that cannot run before any weights', async () => {
    const { hub, options, run } = await programPlace({
      'org/model': repository({ ...MODEL_FILES, 'config.json': '{"model_type":"gpt9"}' }),
    });
    writeFileSync(join(options.cwd, 'config.json'), FILES['config.json']);
    const { stderr, code } = await run('org/model', '--no-mcp', '-p', 'hello');
    expect(stderr).toMatch(/^Error: org\/model.* model_type "gpt9".* is not supported/m);
    expect(code).toBe(65);
    expect(hub.requests.some(({ place }) => place === 'cdn')).toBe(false);
  });

  test('what the Hub refuses: exit 66; offline without the model: exit 66', async () => {
    const { options, run } = await programPlace({});
    writeFileSync(join(options.cwd, 'config.json'), FILES['config.json']);
    const refused = await run('org/model', '--revision', 'v2', '--no-mcp', '-p', 'hello');
    expect(refused.stderr).toMatch(
      /^Error: Model 'org\/model@v2' not found or not accessible\nhttp.* has no model/m,
    );
    expect(refused.code).toBe(66);
    const offline = await runProgram(MAIN, ['org/model', '--no-mcp', '-p', 'hello'], {
      ...options,
      env: { ...options.env, HF_HUB_OFFLINE: '1' },
    });
    expect(offline.stderr).toMatch(/not accessible\nHF_HUB_OFFLINE is set, and it is not in the cache/);
    expect(offline.code).toBe(66);
  });
});

describe('interruptions', () => {
  test.each(['SIGKILL', 'SIGINT'] as const)('%s: the next one goes on', async signal => {
    const { hub, cache, start, run, options } = await programPlace(large());
    const received = new ReceivedBytes(join(options.cwd, 'received'), hub);
    Object.assign(options.env, received.env);
    hub.bytesPerSecond = 5_000_000;
    for (const share of [0.2, 0.6]) {
      const program = start('pull', 'org/model');
      while (received.total < share * LARGE.length && program.child.exitCode === null) await sleep(2);
      program.child.kill(signal);
      const { code, stderr } = await program.ended;
      expect(code).toBe(signal === 'SIGINT' ? 130 : null);
      if (signal === 'SIGINT') {
        expect(stderr).toContain('Interrupted. The same command resumes: llm-host pull org/model\n');
      }
      expect(existsSync(join(cache, REPO, 'refs/main'))).toBe(false);
    }
    hub.bytesPerSecond = undefined;
    const { code, stdout } = await run('pull', 'org/model');
    expect(code).toBe(0);
    const folder = stdout.trim().split('\n').at(-1) as string;
    expect(sha256(contentOf(folder, 'model.safetensors'))).toBe(sha256(LARGE));
    // Each byte once, but for what was read and not yet written: of two parts, at two interruptions.
    expect(received.total).toBeGreaterThanOrEqual(LARGE.length);
    expect(received.total).toBeLessThanOrEqual(LARGE.length * 1.05);
    expect(tree(cache).filter(name => /incomplete|lock/.test(name))).toEqual([]);
  });

  test('two at once: one downloads, the other waits; each byte once', async () => {
    const { hub, start } = await programPlace(large());
    let release = () => {};
    const hold = new Promise<void>(resolve => {
      release = resolve;
    });
    hub.fault = ({ place }) => (place === 'cdn' ? { hold, after: 1000 } : undefined);
    const first = start('pull', 'org/model');
    while (!hub.sent['model.safetensors'] && first.child.exitCode === null) await sleep(5);
    const second = start('pull', 'org/model');
    while (!second.stderr.includes('Waiting') && second.child.exitCode === null) await sleep(5);
    expect(second.stderr).toBe(`Waiting for process ${first.child.pid}, which downloads org/model ...\n`);
    release();
    expect((await first.ended).code).toBe(0);
    expect(await second.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('is complete at') });
    expect(hub.sent['model.safetensors']).toBe(LARGE.length);
  });

  test('the lock of a process that is gone is taken over', async () => {
    const { cache, run } = await programPlace();
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    const lock = join(cache, '.locks', REPO, 'llm-host.lock');
    mkdirSync(join(cache, '.locks', REPO), { recursive: true });
    writeFileSync(lock, JSON.stringify({ pid: gone, host: hostname() }));
    expect((await run('pull', 'org/model')).code).toBe(0);
    expect(existsSync(lock)).toBe(false);
  });
});

/** `unshare` gives a process mounts of its own, which are gone with it. */
const namespaces = [['-m'], ['-rm']].find(
  flags => spawnSync('unshare', [...flags, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0,
);

describe.skipIf(!namespaces)('a disk of its own (needs the right to mount in a namespace)', () => {
  /** A pull where `before`, shell text, has mounted something at the cache's place ($1). */
  async function pullMounted({ cache, options }: Awaited<ReturnType<typeof programPlace>>, before: string) {
    mkdirSync(cache, { recursive: true });
    const script = `${before} || exit 99\nexec "$2" "$3" pull org/model`;
    const args = [...(namespaces ?? []), 'sh', '-c', script, 'sh', cache, process.execPath, MAIN];
    const child = spawn('unshare', args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', chunk => {
        text += chunk;
      });
    }
    const [code] = await once(child, 'close');
    return { text: text.replaceAll(cache, 'CACHE'), code };
  }

  const NOT_FOUND = "Error: Model 'org/model' not found or not accessible\n";

  test('too small: refused before anything is fetched', async () => {
    const place = await programPlace(large());
    const { text, code } = await pullMounted(place, 'mount -t tmpfs -o size=24m tmpfs "$1"');
    expect(text).toMatch(
      /^Error: Model .* accessible\nThe disk is full: CACHE\/models--org--model needs 20 MB more, and 2\d MB are free\.\nFree some/m,
    );
    expect(code).toBe(66);
    expect(place.hub.sent['model.safetensors']).toBeUndefined();
  });

  test('full in the middle: what is there stays', async () => {
    const place = await programPlace(large());
    const flag = join(place.options.cwd, 'fill');
    const hold = (async () => {
      while (!place.hub.sent['model.safetensors']) await sleep(5);
      writeFileSync(flag, '');
      while (!existsSync(`${flag}.done`)) await sleep(5);
    })();
    place.hub.fault = ({ place: where }) => (where === 'cdn' ? { hold, after: 1000 } : undefined);
    const filling = `until [ -e "${flag}" ]; do sleep 0.02; done; cat /dev/zero > "$1/fill"; touch "${flag}.done"`;
    const { text, code } = await pullMounted(
      place,
      `mount -t tmpfs -o size=64m tmpfs "$1" && { (${filling}) 2>/dev/null & }`,
    );
    expect(text).toContain(
      `${NOT_FOUND}The disk is full: CACHE/models--org--model/blobs has no space left (ENOSPC).\nFree some`,
    );
    expect(code).toBe(66);
  });

  test('read-only: a complete model is used, another one refused', async () => {
    const place = await programPlace();
    const empty = await pullMounted(place, 'mount -t tmpfs -o ro tmpfs "$1"');
    expect(empty.text).toBe(
      `${NOT_FOUND}The cache folder CACHE cannot be written: it is on a read-only file system.\nSet HF_HUB_CACHE to a writable folder.\n`,
    );
    expect(empty.code).toBe(66);
    await place.pull();
    const readOnly = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1"';
    expect(await pullMounted(place, readOnly)).toMatchObject({
      code: 0,
      text: expect.stringContaining('org/model is complete at'),
    });
  });
});
