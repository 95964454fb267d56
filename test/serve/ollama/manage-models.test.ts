import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ollama } from 'ollama';
import { describe, expect, it } from 'vitest';
import { LlmHostError } from '../../../src/errors.ts';
import type { ModelStore } from '../../../src/serve/http/model-store.ts';
import { type ServeOptions, scriptedModel, serveScripted, until } from '../scripted.ts';

const progress = (doneBytes: number, checking = false) => ({ doneBytes, totalBytes: 100, checking });

/** A cache in which everything takes as long as `work`. */
function store(work: ModelStore['pull'] = () => Promise.resolve()) {
  const models = new Set(['org/there']);
  const stopped: string[] = [];
  const made: ModelStore = {
    pull: async (name, signal, onProgress) => {
      if (name === 'nonsense')
        throw new LlmHostError('USAGE', `'${name}' is not the name of a model on the Hub`);
      if (name === 'org/gone')
        throw new LlmHostError('MODEL_NOT_FOUND', 'not there', { hint: 'See the Hub' });
      signal.addEventListener('abort', () => stopped.push(name));
      for (const done of [10, 60]) onProgress(progress(done));
      await work(name, signal, onProgress);
      if (signal.aborted) throw new LlmHostError('CANCELLED', 'cancelled');
      onProgress(progress(100, true));
      models.add(name);
    },
    remove: id => {
      models.delete(id);
      return Promise.resolve();
    },
    copy: async (id, name) => {
      if (id === 'org/scripted')
        throw new LlmHostError('USAGE', `'${id}' is not the name of a model on the Hub`);
      models.add(name.includes('/') ? name : `local/${name}`);
    },
  };
  return { made, models, stopped };
}

async function serve(kept = store(), more: ServeOptions = {}) {
  const others = {
    list: () => [...kept.models].map(id => ({ id })),
    open: (id: string) =>
      Promise.resolve({ ...scriptedModel(id, () => 'Hi').loaded, close: () => Promise.resolve() }),
  };
  const scripted = await serveScripted(() => 'x', { modelStore: kept.made, others, ...more });
  const { url, port, context } = scripted;
  const send = (path: string, body: object, method = 'POST', signal?: AbortSignal) =>
    fetch(`${url}${path}`, { method, body: JSON.stringify(body), ...(signal && { signal }) });
  return { ...kept, url, port, context, send, ollama: new Ollama({ host: url }) };
}

describe('/api/pull', () => {
  it("tells the progress to Ollama's client; then the model is there", async () => {
    const { ollama, models } = await serve();
    const told = [];
    for await (const part of await ollama.pull({ model: 'org/new', stream: true })) told.push(part);
    expect(told).toEqual([
      { status: 'pulling org/new', digest: 'org/new', total: 100, completed: 10 },
      { status: 'pulling org/new', digest: 'org/new', total: 100, completed: 60 },
      { status: 'verifying sha256 digest' },
      { status: 'success' },
    ]);
    expect(models.has('org/new')).toBe(true);
    expect((await ollama.list()).models.map(({ name }) => name)).toContain('org/new');
    expect(await ollama.pull({ model: 'org/other', stream: false })).toEqual({ status: 'success' });
  });

  it.each([
    [{}, 400, 'which one?'],
    [{ model: 5 }, 400, 'model: '],
    [{ model: 'x'.repeat(2000) }, 400, 'model: '],
    [{ model: 'nonsense' }, 400, 'is not the name of a model'],
    [{ model: 'org/gone' }, 404, 'not there. See the Hub'],
  ])('%j is refused', async (body, status, message) => {
    const { send } = await serve();
    for (const stream of [true, false]) {
      const response = await send('/api/pull', { ...body, stream });
      expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
        status,
        expect.stringContaining(message),
      ]);
    }
  });

  it('a failure after the beginning is a line of the stream', async () => {
    const failing = store(() => Promise.reject(new LlmHostError('MODEL_BROKEN', 'The disk is full')));
    const { send } = await serve(failing);
    const lines = (await (await send('/api/pull', { model: 'org/new' })).text()).trim().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ error: 'The disk is full' });
  });

  it('ends when its client goes away; two at a time', async () => {
    const slow = store((_name, signal) => sleep(60_000, undefined, { signal }).catch(() => undefined));
    const { send, stopped } = await serve(slow);
    const gone = new AbortController();
    for (const model of ['org/a', 'org/b']) await send('/api/pull', { model }, 'POST', gone.signal);
    expect((await send('/api/pull', { model: 'org/c' })).status).toBe(429);
    gone.abort();
    await until(() => stopped.length === 2);
    const again = new AbortController();
    await until(() => true);
    await sleep(20);
    expect((await send('/api/pull', { model: 'org/c' }, 'POST', again.signal)).status).toBe(200);
    again.abort();
  });

  it('a stop that comes while the request is being read ends it before it begins', async () => {
    const pulled: string[] = [];
    const slow = store(name => {
      pulled.push(name);
      return sleep(60_000);
    });
    for (const stream of [true, false]) {
      const stopping = new AbortController();
      const { port } = await serve(slow, { stopping: stopping.signal });
      const body = JSON.stringify({ model: 'org/new', stream });
      const answer = sendInParts(port, body, () => stopping.abort());
      expect(await answer).toMatch(/^HTTP\/1.1 503 [\s\S]*The server is stopping/);
    }
    expect(pulled).toEqual([]);
  });
});

/** The head of a request to /api/pull, then its body after `between`; resolves with the answer. */
async function sendInParts(port: number, body: string, between: () => void): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let read = '';
  socket.on('data', data => {
    read += data;
  });
  const closed = once(socket, 'close');
  socket.write(
    `POST /api/pull HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  await sleep(100);
  between();
  socket.end(body);
  await closed;
  return read;
}

describe('/api/delete', () => {
  it('removes what is not loaded', async () => {
    const { ollama, models, send } = await serve();
    expect(await ollama.delete({ model: 'org/there' })).toEqual({ status: 'success' });
    expect(models.has('org/there')).toBe(false);
    expect((await send('/api/delete', { model: 'org/there' }, 'DELETE')).status).toBe(404);
  });

  it('never what is in use', async () => {
    const { ollama, models, send } = await serve();
    await ollama.chat({ model: 'org/there', messages: [{ role: 'user', content: 'Hi' }] });
    for (const model of ['org/there', 'org/scripted'])
      expect((await send('/api/delete', { model }, 'DELETE')).status).toBe(409);
    expect(models.has('org/there')).toBe(true);
  });

  it('nor what is being loaded, nor is it loaded while it is being deleted', async () => {
    const kept = store();
    let go: () => void = () => undefined;
    const waiting = new Promise<void>(resolve => {
      go = resolve;
    });
    const others = {
      list: () => [...kept.models].map(id => ({ id })),
      open: async (id: string) => {
        await waiting;
        return { ...scriptedModel(id, () => 'Hi').loaded, close: () => Promise.resolve() };
      },
    };
    const { send, models } = await serve(kept, { others });
    const chat = { model: 'org/there', messages: [{ role: 'user', content: 'Hi' }] };
    const loading = send('/api/chat', { ...chat, keep_alive: 0 });
    await sleep(100);
    expect((await send('/api/delete', { model: 'org/there' }, 'DELETE')).status).toBe(409);
    go();
    expect((await loading).status).toBe(200);
    expect(models.has('org/there')).toBe(true);

    let removed: () => void = () => undefined;
    const slow = { ...kept.made, remove: () => new Promise<void>(resolve => (removed = resolve)) };
    const second = await serve(kept, { others, modelStore: slow });
    const removing = second.send('/api/delete', { model: 'org/there' }, 'DELETE');
    await sleep(100);
    const refused = await second.send('/api/chat', chat);
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('being deleted')]);
    removed();
    expect((await removing).status).toBe(200);
  });
});

it('what is being downloaded is not deleted, at whatever revision', async () => {
  const slow = store((_name, signal) => sleep(60_000, undefined, { signal }).catch(() => undefined));
  const { send, models, stopped } = await serve(slow);
  for (const model of ['org/there', 'org/there@next']) {
    const gone = new AbortController();
    await send('/api/pull', { model }, 'POST', gone.signal);
    const refused = await send('/api/delete', { model: 'there' }, 'DELETE');
    expect([refused.status, await refused.text()]).toEqual([
      409,
      expect.stringContaining("model 'org/there' is being downloaded"),
    ]);
    gone.abort();
    await until(() => stopped.includes(model));
  }
  await expect.poll(async () => (await send('/api/delete', { model: 'there' }, 'DELETE')).status).toBe(200);
  expect(models.has('org/there')).toBe(false);
});

describe('/api/copy', () => {
  it("gives a model another name, which Ollama's client can use at once", async () => {
    const { ollama, models } = await serve();
    expect(await ollama.copy({ source: 'org/there', destination: 'mine' })).toEqual({ status: 'success' });
    expect(models).toEqual(new Set(['org/there', 'local/mine']));
    const { message } = await ollama.chat({ model: 'mine', messages: [{ role: 'user', content: 'Hi' }] });
    expect(message.content).toBe('Hi');
  });

  it.each([
    [{ source: 'org/there' }, 400, 'destination: '],
    [{ source: 'org/there', destination: '' }, 400, 'which one?'],
    [{ source: 'org/gone', destination: 'mine' }, 404, "model 'org/gone' not found"],
    [{ source: 'org/there', destination: 'there:latest' }, 409, "model 'there' already exists"],
    [{ source: 'org/scripted', destination: 'mine' }, 400, 'is not the name of a model on the Hub'],
  ])('%j is refused', async (body, status, message) => {
    const { send, models } = await serve();
    const response = await send('/api/copy', body);
    const { error } = (await response.json()) as { error: string };
    expect([response.status, error]).toEqual([status, expect.stringContaining(message)]);
    expect(models.size).toBe(1);
  });
});

it('without --manage-models all are refused', async () => {
  const { send } = await serve(store(), { modelStore: undefined });
  for (const [path, method] of [
    ['/api/pull', 'POST'],
    ['/api/delete', 'DELETE'],
    ['/api/copy', 'POST'],
  ] as const) {
    const response = await send(path, { model: 'org/there' }, method);
    expect([response.status, await response.text()]).toEqual([
      501,
      expect.stringContaining('--manage-models'),
    ]);
  }
});
