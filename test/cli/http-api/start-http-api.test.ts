import { once } from 'node:events';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type HttpApi, startHttpApi } from '../../../src/cli/http-api/start-http-api.ts';
import type { HttpApiArguments } from '../../../src/cli/options/option-table.ts';
import type { ModelSource } from '../../../src/model/model-source.ts';
import type { OpenModel } from '../../../src/run/open-model.ts';
import { content, FakeModel, STATS, type Step } from '../../agent/fakes.ts';
import { tempFolder } from '../../model/temp-folder.ts';
import { until } from '../../serve/scripted.ts';
import { cacheModel } from './cached-model.ts';

let dir: string;

beforeEach(() => {
  dir = tempFolder();
  vi.spyOn(process, 'cwd').mockReturnValue(dir);
  vi.stubEnv('HOME', dir);
  for (const name of ['XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'LLM_HOST_API_KEY']) vi.stubEnv(name, undefined);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** A model that says what the steps say, and how often it was opened and closed. */
function scripted(...steps: Step[]) {
  const seen = { opened: 0, closed: 0 };
  const openModel: OpenModel = async () => {
    seen.opened += 1;
    return {
      model: new FakeModel(steps),
      name: 'org/fake',
      device: 'cpu',
      description: 'Model org/fake',
      notices: [],
      close: async () => {
        seen.closed += 1;
      },
    };
  };
  return { seen, openModel };
}

const ARGS: HttpApiArguments = { model: 'org/fake', mcp: false, port: 0 };

async function started(
  args: Partial<HttpApiArguments>,
  openModel: OpenModel,
  fetchModel = (_source: ModelSource) => Promise.resolve(),
): Promise<HttpApi> {
  const serve = await startHttpApi({ ...ARGS, ...args }, openModel, fetchModel);
  onTestFinished(() => serve.close());
  return serve;
}

const ask = (serve: HttpApi) =>
  fetch(`${serve.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'org/fake', messages: [{ role: 'user', content: 'hello' }] }),
  });

/** A reply that goes on when it is let, and hears when it is to stop. */
function held() {
  let release = () => {};
  const go = new Promise<void>(resolve => {
    release = resolve;
  });
  let begun = false;
  const step: Step = async function* ({ signal }) {
    begun = true;
    yield content('half ');
    const stopped = new Promise<void>(resolve => signal?.addEventListener('abort', () => resolve()));
    await Promise.race([go, stopped]);
    if (signal?.aborted) return { ...STATS, finishReason: 'cancelled' };
    yield content('whole');
    return STATS;
  };
  return { step, release, begun: () => begun };
}

describe('the end', () => {
  test('comes once, however often it is asked for', async () => {
    const { seen, openModel } = scripted([content('hi')]);
    const serve = await started({}, openModel);
    expect((await ask(serve)).status).toBe(200);
    await Promise.all([serve.close(), serve.close()]);
    await serve.close();
    expect(seen).toEqual({ opened: 1, closed: 1 });
    await expect(ask(serve)).rejects.toThrow();
  });

  test('lets a request that runs end, and closes the model after it', async () => {
    const { step, release, begun } = held();
    const { seen, openModel } = scripted(step);
    const serve = await started({}, openModel);
    const asked = ask(serve);
    await until(begun);
    const closed = serve.close();
    expect(seen.closed).toBe(0);
    release();
    const { choices } = (await (await asked).json()) as { choices: { message: { content: string } }[] };
    expect(choices[0]?.message.content).toBe('half whole');
    await closed;
    expect(seen.closed).toBe(1);
  });

  test('ends a request that does not end by itself, when its time is over', async () => {
    const { step, begun } = held();
    const { seen, openModel } = scripted(step);
    const serve = await started({ drainTimeout: 0 }, openModel);
    const asked = ask(serve).then(
      answer => answer.status,
      () => 'cut',
    );
    await until(begun);
    await serve.close();
    expect(await asked).not.toBe(200);
    expect(seen.closed).toBe(1);
  });

  test('does not wait for connections that never ask', async () => {
    const { seen, openModel } = scripted();
    const serve = await started({}, openModel);
    const socket = connect(Number(new URL(serve.url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write('POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Le');
    await serve.close();
    expect(seen.closed).toBe(1);
  });
});

describe('refusals', () => {
  test('a port that is taken: the model is closed again', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { seen, openModel } = scripted();
    await expect(startHttpApi({ ...ARGS, port }, openModel)).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(`--port ${port} on 127.0.0.1 cannot be used: `),
      hint: 'Choose another --port; 0 takes any that is free.',
    });
    expect(seen).toEqual({ opened: 1, closed: 1 });
  });

  test.each<[string, Partial<HttpApiArguments>, RegExp]>([
    ['no model', { model: undefined }, /missing model/],
    ['a host for all without a key', { host: '0.0.0.0' }, /a key is needed/],
    ['a port that is none', { port: 65_536 }, /--port/],
    ['a temperature that is none', { temperature: Number.NaN }, /--temperature/],
    ['an mcp file that is not there', { mcp: ['nowhere.json'] }, /nowhere\.json/],
    ['a system prompt that is not there', { system: '@nowhere.txt' }, /nowhere\.txt/],
  ])('%s: before the model is loaded', async (_name, args, message) => {
    const { seen, openModel } = scripted();
    await expect(startHttpApi({ ...ARGS, ...args }, openModel)).rejects.toThrow(message);
    expect(seen).toEqual({ opened: 0, closed: 0 });
  });

  test('a model that cannot be loaded, with its own reason', async () => {
    const openModel: OpenModel = () => Promise.reject(new Error('no such model'));
    await expect(startHttpApi(ARGS, openModel)).rejects.toThrow('no such model');
  });
});

test('what is broken beside the model is said, and does not keep it from serving', async () => {
  writeFileSync(join(dir, 'config.json'), '{ "SystemPrompt": "x", "sampling": { "temprature": 1 } }');
  writeFileSync(join(dir, 'mcp.json'), '{ "servers": { "gone": { "command": "/nonexistent/program" } } }');
  vi.stubEnv('LLM_HOST_TRUST_MCP', '1');
  const { openModel } = scripted([content('hi')]);
  const serve = await started({ mcp: undefined }, openModel);
  expect(serve.notices).toEqual([
    expect.stringMatching(/^Warning: .*temprature/),
    expect.stringMatching(/^Notice: Server 'gone': the command /),
  ]);
  expect((await ask(serve)).status).toBe(200);
});

test('other models are opened when they are named, and closed with the first', async () => {
  const opened: string[] = [];
  const closed: string[] = [];
  const openModel: OpenModel = async ({ text: source }, { adapter }) => {
    opened.push(`${source} ${adapter ?? ''}`.trim());
    return {
      model: new FakeModel([[content(`I am ${source}`)]]),
      name: source,
      device: 'cpu',
      description: source,
      notices: [],
      close: async () => {
        closed.push(source);
      },
    };
  };
  const file = join(dir, 'tiny.gguf');
  writeFileSync(file, '');
  const serve = await started({ models: ['org/other', file], adapter: ['x'] }, openModel);
  const post = async (model: string) => {
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] });
    const response = await fetch(`${serve.url}/v1/chat/completions`, { method: 'POST', body });
    return [response.status, await response.text()];
  };
  expect(await post('other')).toEqual([200, expect.stringContaining('I am org/other')]);
  // Where a file is remains here.
  expect(await post('tiny')).toEqual([200, expect.stringContaining('"model":"tiny"')]);
  expect(await post('org/unknown')).toEqual([404, expect.not.stringContaining(dir)]);
  expect(opened).toEqual(['org/fake x', 'org/other', file]);
  await serve.close();
  expect(closed.sort()).toEqual([file, 'org/fake', 'org/other'].sort());
});

test('another model thinks as the options say, and what it cannot do of it is in the log', async () => {
  const asked: string[] = [];
  const openModel: OpenModel = async ({ text: name }) => {
    const setThinking = (on: boolean) => {
      asked.push(`${name} ${on}`);
      return name === 'org/fake' ? ('done' as const) : ('none' as const);
    };
    const model = Object.assign(new FakeModel([[content('hi')]]), { setThinking });
    return { model, name, device: 'cpu', description: name, notices: [], close: async () => undefined };
  };
  const logFile = join(dir, 'the.log');
  const serve = await started({ models: ['org/other'], think: false, logFile }, openModel);
  const body = JSON.stringify({ model: 'other', messages: [{ role: 'user', content: 'hello' }] });
  expect((await fetch(`${serve.url}/v1/chat/completions`, { method: 'POST', body })).status).toBe(200);
  expect(asked).toEqual(['org/fake false', 'org/other false']);
  expect(serve.notices).toEqual([]);
  expect(readFileSync(logFile, 'utf8')).toContain(
    'The chat template of org/other has no switch for thinking',
  );
});

test('the files of another model are fetched before it is opened, by what it was named', async () => {
  const seen: string[] = [];
  const { openModel } = scripted([content('hi')]);
  const opening: OpenModel = (source, options) => {
    seen.push(`open ${source.text}`);
    return openModel(source, options);
  };
  const fetchModel = async ({ text }: ModelSource) => {
    seen.push(`fetch ${text}`);
  };
  const serve = await started({ models: ['org/other@v1'] }, opening, fetchModel);
  const body = JSON.stringify({ model: 'other@v1', messages: [{ role: 'user', content: 'hello' }] });
  expect((await fetch(`${serve.url}/v1/chat/completions`, { method: 'POST', body })).status).toBe(200);
  expect(seen).toEqual(['open org/fake', 'fetch org/other@v1', 'open org/other@v1']);
});

test('a model is one model, whichever of its names is used', async () => {
  const cache = join(dir, 'cache');
  vi.stubEnv('HF_HUB_CACHE', cache);
  const granite = cacheModel(cache, 'mlx-community/granite-4.0-1b-4bit');
  cacheModel(cache, 'mlx-community/Qwen3-0.6B-4bit');
  const { openModel } = scripted([content('hi')], [content('hi')]);
  const named: OpenModel = async (source, options) => ({
    ...(await openModel(source, options)),
    name: source.text,
  });
  const serve = await started({ model: 'granite4:1b', models: ['*'], manageModels: true }, named);
  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(serve.url + path, { method, ...(body && { body: JSON.stringify(body) }) });
    return [response.status, await response.text()] as const;
  };
  const [, models] = await send('GET', '/v1/models');
  expect(JSON.parse(models).data.map(({ id }: { id: string }) => id)).toEqual([
    ...['granite4:1b', 'mlx-community/Qwen3-0.6B-4bit'],
  ]);
  for (const model of ['granite4:1b', 'mlx-community/granite-4.0-1b-4bit'])
    expect((await send('DELETE', '/api/delete', { model }))[0]).toBe(409);
  expect(existsSync(granite)).toBe(true);
  const chat = { messages: [{ role: 'user', content: 'hello' }] };
  for (const [asked, id] of [
    ['qwen3:0.6b', 'mlx-community/Qwen3-0.6B-4bit'],
    ['granite-4.0-1b-4bit', 'granite4:1b'],
  ])
    expect(await send('POST', '/v1/chat/completions', { ...chat, model: asked })).toEqual([
      ...[200, expect.stringContaining(`"model":"${id}"`)],
    ]);
});

test('files of the cache that are in use are not deleted, whatever names them', async () => {
  const cache = join(dir, 'cache');
  vi.stubEnv('HF_HUB_CACHE', cache);
  const snapshotOf = (repo: string) => join(cacheModel(cache, repo), 'snapshots', 'a'.repeat(40));
  const first = snapshotOf('org/first');
  const named = snapshotOf('org/named');
  const link = join(dir, 'adapter');
  symlinkSync(snapshotOf('org/adapter'), link);
  for (const repo of ['org/draft', 'org/unused']) cacheModel(cache, repo);
  const { openModel } = scripted([content('hi')]);
  const serve = await started(
    {
      model: first,
      models: [named, '*'],
      manageModels: true,
      adapter: ['adapter'],
      draftModel: 'org/draft',
    },
    openModel,
  );
  const send = async (method: string, path: string, body: object) =>
    (await fetch(serve.url + path, { method, body: JSON.stringify(body) })).status;
  const remove = (model: string) => send('DELETE', '/api/delete', { model });
  const chat = { model: 'a'.repeat(40), messages: [{ role: 'user', content: 'hello' }] };
  expect(await send('POST', '/v1/chat/completions', chat)).toBe(200);
  for (const name of ['first', 'adapter', 'draft', 'named']) {
    expect([name, await remove(`org/${name}`)]).toEqual([name, 409]);
    expect(existsSync(join(cache, `models--org--${name}`))).toBe(true);
  }
  expect(await remove('org/unused')).toBe(200);
});

test('the address of an IPv6 host is one that can be asked', async context => {
  const { openModel } = scripted([content('hi')]);
  const serve = await started({ host: '::1' }, openModel).catch((error: Error) => {
    if (/EADDRNOTAVAIL|EAFNOSUPPORT/.test(error.message)) context.skip('this machine has no IPv6');
    throw error;
  });
  expect(serve.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect((await ask(serve)).status).toBe(200);
});
