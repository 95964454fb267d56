import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { removeModel } from '../../src/hub/remove-model.ts';
import { type Fault, repository, type SeenRequest, sha256 } from '../fixtures/hub/hub-stand-in.mjs';
import { CONFIG, contentOf, hubPlace, MODEL_FILES, tree, WEIGHTS } from './hub-place.ts';

const NOT_FOUND = "MODEL_NOT_FOUND: Model 'org/model' not found or not accessible";

/** What a pull says when every request to `place` goes wrong; the message and the exit code are always the same. */
async function hintWhen(place: SeenRequest['place'], fault: Fault, env: NodeJS.ProcessEnv = {}) {
  const { hub, failure, env: own } = await hubPlace();
  hub.fault = request => (request.place === place ? fault : undefined);
  const { text, hint, exit } = await failure('org/model', { env: { ...own, ...env } });
  expect([text, exit]).toEqual([NOT_FOUND, 66]);
  return { hint: hint.replaceAll(hub.endpoint, 'HUB').replaceAll(/127\.0\.0\.1:\d+/g, 'HOST'), hub };
}

describe('what the Hub refuses', () => {
  test('a model that is not there, or private', async () => {
    const { hub, failure, env } = await hubPlace({});
    expect(await failure()).toEqual({
      text: NOT_FOUND,
      hint: `${hub.endpoint} has no model 'org/model', or it is private (401).\nCheck the name; for a private model, set HF_TOKEN to a token from https://huggingface.co/settings/tokens`,
      exit: 66,
    });
    const { hint } = await failure('org/model', { env: { ...env, HF_TOKEN: 'hf_good' } });
    expect(hint).toContain(
      `has no model 'org/model', or the token in HF_TOKEN may not see it (404).\nCheck the name`,
    );
    expect(hub.requests.every(({ place }) => place === 'api')).toBe(true);
  });

  test('a private model with a token', async () => {
    const { pull, env } = await hubPlace({ 'org/model': repository(MODEL_FILES, { isPrivate: true }) });
    expect((await pull('org/model', { env: { ...env, HF_TOKEN: 'hf_good' } })).receivedBytes).toBeGreaterThan(
      0,
    );
  });

  test('a revision that is not there', async () => {
    const { failure } = await hubPlace();
    const { text, hint, exit } = await failure('org/model@v9');
    expect(text).toBe("MODEL_NOT_FOUND: Model 'org/model@v9' not found or not accessible");
    expect(hint).toMatch(
      /^org\/model has no revision 'v9' \(404\)\.\nA revision is a branch, a tag or a commit/,
    );
    expect(exit).toBe(66);
  });

  test('a gated model: without a login, without access, with it', async () => {
    const { hub, pull, failure, env } = await hubPlace({
      'org/model': repository(MODEL_FILES, { gated: true }),
    });
    hub.tokens = ['hf_good', 'hf_member'];
    expect(await failure()).toEqual({
      text: NOT_FOUND,
      hint: `The model is gated: it needs a login (401).\nAsk for access at ${hub.endpoint}/org/model, then set HF_TOKEN to a token from https://huggingface.co/settings/tokens`,
      exit: 66,
    });
    const { hint } = await failure('org/model', { env: { ...env, HF_TOKEN: 'hf_good' } });
    expect(hint).toBe(
      `The model is gated, and the token in HF_TOKEN has no access to it (403).\nAsk for access at ${hub.endpoint}/org/model with the account of that token.`,
    );
    await pull('org/model', { env: { ...env, HF_TOKEN: 'hf_member' } });
  });

  test('a revoked token, of a variable or a file; and in the middle of a download', async () => {
    const { hub, failure, env } = await hubPlace();
    const { text, hint, exit } = await failure('org/model', { env: { ...env, HF_TOKEN: 'hf_revoked' } });
    expect([text, exit]).toEqual([NOT_FOUND, 66]);
    expect(hint).toBe(
      'The token in HF_TOKEN was refused (401): it is wrong, expired or revoked.\nMake a new one at https://huggingface.co/settings/tokens, or unset it for a public model.',
    );
    const file = join(env.HOME as string, 'token');
    writeFileSync(file, 'hf_revoked\n');
    const second = await failure('org/model', { env: { ...env, HF_TOKEN_PATH: file } });
    expect(second.hint).toContain(`The token in ${file} was refused (401)`);
    hub.fault = ({ place }) => {
      if (place === 'file') hub.tokens = [];
      return undefined;
    };
    const third = await failure('org/model', { env: { ...env, HF_TOKEN: 'hf_good' } });
    expect(third.hint).toContain('The token in HF_TOKEN was refused (401)');
  });

  test('403, 404 of a listed file, 410', async () => {
    expect((await hintWhen('api', { status: 403 })).hint).toMatch(/^Access is denied \(403\)\./);
    expect(
      (await hintWhen('file', { status: 404, headers: { 'x-error-code': 'EntryNotFound' } })).hint,
    ).toMatch(/^The Hub lists \S+, but does not have it \(404\)\./);
    expect((await hintWhen('api', { status: 410 })).hint).toBe('HOST answered 410.');
  });

  test('429 and 5xx for ever: several attempts, then the reason', async () => {
    const { hint, hub } = await hintWhen('api', { status: 429, headers: { 'retry-after': '0' } });
    expect(hint).toBe(
      'HOST limits the rate of requests (429).\nTry again in a few minutes, or set HF_TOKEN for a higher limit.',
    );
    expect(hub.requests.length).toBe(4);
    const long = await hintWhen('api', { status: 429, headers: { 'retry-after': '3600' } });
    expect(long.hub.requests.length).toBe(1);
    const broken = await hintWhen('file', { status: 503 });
    expect(broken.hint).toBe(
      'HOST answered 503.\nThe Hub has a problem (status.huggingface.co); try again later.',
    );
    expect((await hintWhen('cdn', { status: 403 })).hint).toBe('HOST answered 403 for model.safetensors.');
  });
});

describe('what goes by', () => {
  test.each([
    ['429', { status: 429, headers: { 'retry-after': '0' } }],
    ['a date to come back', { status: 503, headers: { 'retry-after': new Date().toUTCString() } }],
    ['500', { status: 500 }],
    ['a broken connection', { cut: 1000 }],
    ['a damaged content', { corrupt: true }],
  ])('%s once in every place', async (_name, fault) => {
    const { hub, pull } = await hubPlace();
    const seen = new Set<string>();
    hub.fault = ({ place, path }) => {
      // The first answer about each thing is the wrong one.
      const isFirst = !seen.has(place + path);
      seen.add(place + path);
      return isFirst ? fault : undefined;
    };
    const { folder } = await pull();
    expect(contentOf(folder, 'model.safetensors').equals(WEIGHTS)).toBe(true);
    expect(contentOf(folder, 'config.json').toString()).toBe(CONFIG);
  });

  test('a connection that breaks again and again: each byte once, as long as there is progress', async () => {
    const { hub, pull } = await hubPlace();
    hub.fault = ({ place }) => (place === 'cdn' ? { cut: 20_000 } : undefined);
    const { folder } = await pull();
    expect(contentOf(folder, 'model.safetensors').equals(WEIGHTS)).toBe(true);
    expect(hub.requests.filter(({ place }) => place === 'cdn').length).toBe(15);
    expect(hub.sent['model.safetensors']).toBe(WEIGHTS.length);
  });

  test('a server that is silent is given up after the time limit', async () => {
    const env = { HF_HUB_DOWNLOAD_TIMEOUT: '0.3', HF_HUB_ETAG_TIMEOUT: '0.3' };
    const { hint, hub } = await hintWhen('cdn', { hang: true }, env);
    expect(hint).toMatch(/^HOST sent nothing for 0\.3 s\.\nHF_HUB_DOWNLOAD_TIMEOUT/);
    expect(hub.requests.filter(({ place }) => place === 'cdn').length).toBe(7);
    expect((await hintWhen('api', { hang: true }, env)).hint).toMatch(/^HOST sent nothing for 0\.3 s\./);
    // A content that is announced and never comes.
    const stalled = await hintWhen('cdn', { hold: new Promise(() => undefined) }, env);
    expect(stalled.hint).toMatch(/^HOST sent nothing for 0\.3 s\./);
  });
});

describe('contents that are not what the Hub lists', () => {
  test('damaged every time: fetched twice, then nothing of it is kept', async () => {
    const { hint, hub } = await hintWhen('cdn', { corrupt: true });
    expect(hint).toBe(
      `model.safetensors arrived damaged twice: its sha256 is not ${sha256(WEIGHTS)}.\nSomething between here and HUB alters files: a proxy, a mirror or the disk.`,
    );
    expect(hub.sent['model.safetensors']).toBe(2 * WEIGHTS.length);
    const small = await hintWhen('file', { corrupt: true });
    expect(small.hint).toMatch(/arrived damaged twice: its git sha1 is not [0-9a-f]{40}\./);
  });

  test('damaged: nothing of it is in the cache afterwards', async () => {
    const { hub, cache, failure } = await hubPlace();
    hub.fault = ({ place }) => (place === 'cdn' ? { corrupt: true } : undefined);
    await failure();
    expect(tree(cache).filter(name => name.includes(sha256(WEIGHTS)))).toEqual([]);
    expect(existsSync(join(cache, 'models--org--model/refs/main'))).toBe(false);
  });

  test('another etag', async () => {
    const etag = createHash('sha256').update('other').digest('hex');
    const { hub, cache, failure } = await hubPlace();
    hub.fault = ({ path }) => (path.endsWith('model.safetensors') ? { etag } : undefined);
    const { text, hint, exit } = await failure();
    expect([text, exit]).toEqual([NOT_FOUND, 66]);
    expect(hint).toBe(
      `The Hub lists model.safetensors as ${sha256(WEIGHTS)}, but sends ${etag} (etag).\nThe repository or a mirror is being updated: try again later, or unset HF_ENDPOINT.`,
    );
    expect(
      tree(cache).filter(name => name.includes(sha256(WEIGHTS)) && !name.includes('.incomplete')),
    ).toEqual([]);
  });

  test('truncated, too long, no parts of large files', async () => {
    const shorter = await hintWhen('cdn', { length: 1000 });
    expect(shorter.hint).toMatch(
      /^The Hub lists model\.safetensors with 300000 bytes, but announces 1000 bytes\./,
    );
    const resumed = await hubPlace();
    let first = true;
    resumed.hub.fault = ({ place }) => {
      if (place !== 'cdn') return undefined;
      const fault = first ? { cut: 5000 } : { length: 1000 };
      first = false;
      return fault;
    };
    expect((await resumed.failure()).hint).toMatch(/with 300000 bytes, but has less of it\./);
    // A single part may come whole; what was there of it is dropped.
    const whole = await hubPlace();
    let broken = false;
    whole.hub.fault = ({ place }) => {
      if (place !== 'cdn') return undefined;
      const fault = broken ? { whole: true } : { cut: 5000 };
      broken = true;
      return fault;
    };
    const { folder } = await whole.pull();
    expect(contentOf(folder, 'model.safetensors').equals(WEIGHTS)).toBe(true);
  });

  test('a file of several parts that always comes whole, whichever part is asked for first', async () => {
    const large = { ...MODEL_FILES, 'model.safetensors': Buffer.alloc(17 * 2 ** 20) };
    const { hub, failure } = await hubPlace({ 'org/model': repository(large) });
    // The first part is answered first, and the others never.
    hub.fault = ({ place, range }) => {
      if (place !== 'cdn') return undefined;
      return range?.startsWith('bytes=0-') ? { whole: true } : { hang: true };
    };
    expect((await failure()).hint).toMatch(/does not send parts of files \(HTTP ranges\)/);
  });
});

describe('hosts', () => {
  test('the token goes to the Hub alone', async () => {
    const { hub, pull, env } = await hubPlace();
    await pull('org/model', { env: { ...env, HF_TOKEN: 'hf_good' } });
    const with_ = (place: string) =>
      new Set(hub.requests.filter(one => one.place === place).map(({ authorization }) => authorization));
    expect(with_('api')).toEqual(new Set(['Bearer hf_good']));
    expect(with_('file')).toEqual(new Set(['Bearer hf_good']));
    expect(with_('cdn')).toEqual(new Set([undefined]));
  });

  test('redirects: a renamed model, a circle, no address', async () => {
    const { hub, pull } = await hubPlace({ 'new/name': repository(MODEL_FILES) });
    hub.fault = ({ path }) =>
      path.startsWith('/api/models/org/model/')
        ? { status: 307, headers: { location: path.replace('org/model', 'new/name') } }
        : path.startsWith('/org/model/')
          ? { status: 307, headers: { location: path.replace('org/model', 'new/name') } }
          : undefined;
    await pull();
    const circle = await hintWhen('api', { status: 302, headers: { location: '?again' } });
    expect(circle.hint).toBe('HOST redirects too often.');
    const odd = await hintWhen('file', { status: 302, headers: { location: 'file:///etc/passwd' } });
    expect(odd.hint).toBe('HOST redirects to an invalid address: file:///etc/passwd');
  });

  test('nobody listens there; something else listens there', async () => {
    const { failure, env } = await hubPlace();
    const { hint } = await failure('org/model', { env: { ...env, HF_ENDPOINT: 'http://127.0.0.1:1' } });
    expect(hint).toBe(
      '127.0.0.1:1 cannot be reached (ECONNREFUSED).\nCheck the network, HTTPS_PROXY and HF_ENDPOINT.',
    );
    expect((await hintWhen('api', { status: 200, body: '<html>log in</html>' })).hint).toMatch(
      /^HUB does not answer like the Hub: no JSON/,
    );
    expect((await hintWhen('api', { status: 200, body: '{"sha":"x"}' })).hint).toMatch(/no commit\.$/m);
    const raw = createServer(socket => socket.end('220 mail\r\n'));
    await new Promise<void>(resolve => raw.listen(0, '127.0.0.1', resolve));
    const { port } = raw.address() as { port: number };
    const mail = await failure('org/model', { env: { ...env, HF_ENDPOINT: `http://127.0.0.1:${port}` } });
    expect(mail.hint).toMatch(/^The connection to 127\.0\.0\.1:\d+ broke: /);
    raw.close();
  });

  test.each(['../../../x', '/etc/x', 'a//b', 'a/../../b', './a', 'a\\b', 'a\0b', ''])(
    'a list with the path %j is refused',
    async path => {
      const { hub, cache, failure } = await hubPlace();
      const entry = { type: 'file', path, size: 1, oid: 'a'.repeat(40) };
      hub.fault = request =>
        request.path.includes('/tree/') ? { status: 200, body: JSON.stringify([entry]) } : undefined;
      expect((await failure()).hint).toMatch(/does not answer like the Hub: an unexpected list of files/);
      expect(existsSync(cache)).toBe(false);
    },
  );

  test.each([{ oid: '../../../../etc/x' }, { size: -1 }, { size: 1e300 }, { oid: 5 }])(
    'a list with %j is refused',
    async change => {
      const { hub, failure } = await hubPlace();
      const entry = { type: 'file', path: 'config.json', size: 1, oid: 'a'.repeat(40), ...change };
      hub.fault = request =>
        request.path.includes('/tree/') ? { status: 200, body: JSON.stringify([entry]) } : undefined;
      expect((await failure()).hint).toMatch(/an unexpected list of files/);
    },
  );
});

describe('repositories without a model', () => {
  const kinds: [string, Record<string, string>, string][] = [
    [
      'GGUF alone',
      { 'config.json': CONFIG, 'a.gguf': 'x', 'b.gguf': 'y' },
      'It holds 2 GGUF files: download one',
    ],
    ['PyTorch alone', { 'config.json': CONFIG, 'pytorch_model.bin': 'x' }, 'it holds PyTorch files'],
    ['nothing', { 'config.json': CONFIG }, 'Weights must be safetensors.'],
  ];
  test.each(kinds)('%s', async (_name, files, hint) => {
    const { failure } = await hubPlace({ 'org/model': repository(files) });
    const result = await failure();
    expect(result.text).toBe('MODEL_UNSUPPORTED: org/model has no model.safetensors');
    expect(result.hint).toContain(hint);
    expect(result.exit).toBe(65);
  });

  test('an index that names what is not there', async () => {
    const index = JSON.stringify({ weight_map: { a: 'model-00001-of-00001.safetensors' } });
    const { failure } = await hubPlace({
      'org/model': repository({ 'config.json': CONFIG, 'model.safetensors.index.json': index }),
    });
    expect((await failure()).text).toBe(
      'MODEL_BROKEN: model.safetensors.index.json of org/model names model-00001-of-00001.safetensors, which is missing',
    );
  });
});

describe('offline', () => {
  test('with the model, without it, with a part of it', async () => {
    const { hub, cache, pull, failure, env } = await hubPlace();
    const offline = { ...env, HF_HUB_OFFLINE: '1' };
    const none = await failure('org/model', { env: offline });
    expect(none).toEqual({
      text: NOT_FOUND,
      hint: `HF_HUB_OFFLINE is set, and it is not in the cache: ${join(cache, 'models--org--model')}\nUnset HF_HUB_OFFLINE to download it.`,
      exit: 66,
    });
    expect(hub.requests).toEqual([]);
    const { folder, commit } = await pull();
    hub.requests.length = 0;
    expect((await pull('org/model', { env: offline })).folder).toBe(folder);
    expect((await pull(`org/model@${commit}`, { env: offline })).folder).toBe(folder);
    rmSync(join(folder, 'model.safetensors'));
    expect((await failure('org/model', { env: offline })).hint).toContain(
      'HF_HUB_OFFLINE is set, and only part of it is in the cache (model.safetensors is missing)',
    );
    expect(hub.requests).toEqual([]);
  });
});

describe('the cache folder', () => {
  test('is a file, or cannot be made', async () => {
    const { failure, env } = await hubPlace();
    const file = join(env.HOME as string, 'file');
    writeFileSync(file, '');
    for (const HF_HUB_CACHE of [file, '/dev/null/cache']) {
      const { text, hint, exit } = await failure('org/model', { env: { ...env, HF_HUB_CACHE } });
      expect([text, exit]).toEqual([NOT_FOUND, 66]);
      expect(hint).toMatch(
        /^The cache folder \S+ cannot be (used|written): .*\nSet HF_HUB_CACHE to a writable folder/,
      );
    }
  });

  test.skipIf(process.getuid?.() === 0)(
    'may not be written (only where the tests do not run as root)',
    async () => {
      const { cache, failure } = await hubPlace();
      mkdirSync(cache);
      chmodSync(cache, 0o500);
      expect((await failure()).hint).toMatch(/cannot be written: EACCES\./);
    },
  );
});

test('removing what is not there', async () => {
  const { env, pull } = await hubPlace();
  const id = { repo: 'org/model', revision: 'main', source: 'org/model' };
  const remove = () => removeModel(id, { env, revisionOnly: false });
  await expect(remove()).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND', exitCode: 66 });
  await pull();
  const other = { ...id, revision: 'v9', source: 'org/model@v9' };
  await expect(removeModel(other, { env, revisionOnly: true })).rejects.toMatchObject({
    hint: expect.stringContaining("The cache does not have its revision 'v9'"),
  });
  expect(await remove()).toBeGreaterThan(WEIGHTS.length);
  await expect(remove()).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
});
