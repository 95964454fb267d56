import { expect, it } from 'vitest';
import { ask } from '../asking.ts';
import { serveScripted } from '../scripted.ts';

const post = (url: string, body: object) => fetch(url, { method: 'POST', body: JSON.stringify(body) });

it.each([
  ['a text', 'Hi'],
  ['a list with one text', ['Hi']],
  ['token ids', [72, 105]],
  ['a list with one list of ids', [[72, 105]]],
])('/v1/completions continues %s', async (_what, prompt) => {
  const { url, engine } = await serveScripted(() => ' there');
  const response = await post(`${url}/v1/completions`, { prompt });
  expect(await response.json()).toMatchObject({ choices: [{ text: ' there', index: 0 }] });
  expect(engine.requests.map(request => Array.from(request.promptIds))).toEqual([[72, 105]]);
});

it('what continues a text is read as part of it, an answer is not', async () => {
  const { url, engine } = await serveScripted(() => ' there');
  await post(`${url}/v1/completions`, { prompt: 'Hi' });
  await post(`${url}/v1/completions`, { prompt: [72, 105] });
  await post(`${url}/v1/chat/completions`, ask('Hi'));
  expect(engine.requests.map(request => request.continuesText ?? false)).toEqual([true, true, false]);
});

it.each([
  [{ prompt: Array(129).fill('a') }, '129 texts; a request may have 128'],
  [{ prompt: ['a', ''] }, 'prompt[1]: there is nothing to go on with'],
  [{ prompt: [[65], []] }, 'prompt'],
  [{ prompt: ['a', [65]] }, 'prompt'],
  [{ prompt: [[65], [0x110000]] }, 'no token 1114112'],
  [{ prompt: [[65], [66]], echo: true }, 'give the prompt as a text'],
  [{ prompt: Array(65).fill('a'), n: 2 }, '2 for each of 65 texts; a request may have 128'],
  [{ prompt: [] }, 'nothing to go on with'],
  [{ prompt: [0x110000] }, 'no token 1114112'],
  [{ prompt: [65], echo: true }, 'give the prompt as a text'],
  [{ prompt: [1.5] }, 'prompt'],
])('/v1/completions refuses %j', async (body, reason) => {
  const { url } = await serveScripted(() => 'x');
  const response = await post(`${url}/v1/completions`, body);
  expect(response.status).toBe(400);
  expect(await response.text()).toContain(reason);
});

it('OpenAI paths work without /v1', async () => {
  const { url } = await serveScripted(() => 'ok');
  const statuses = await Promise.all([
    post(`${url}/chat/completions`, ask('?')),
    post(`${url}/completions?x=1`, { prompt: 'Hi' }),
    post(`${url}/responses/`, { input: 'Hi' }),
    fetch(`${url}/models`),
    fetch(`${url}/models/org/scripted`),
    fetch(`${url}/modelsx`),
  ]).then(all => all.map(response => response.status));
  expect(statuses).toEqual([200, 200, 200, 200, 200, 404]);
});

interface Chunk {
  readonly choices: { index: number; text: string; finish_reason: string | null; logprobs: unknown }[];
  readonly usage?: { prompt_tokens: number; completion_tokens: number };
}

async function streamed(url: string, body: object): Promise<Chunk[]> {
  const response = await post(`${url}/v1/completions`, { ...body, stream: true });
  const events = (await response.text()).trim().split('\n\n');
  expect(events.pop()).toBe('data: [DONE]');
  return events.filter(event => event.startsWith('data: ')).map(event => JSON.parse(event.slice(6)));
}

/** Text and reasons of each choice, by index, put together from a stream. */
function byIndex(chunks: readonly Chunk[]) {
  const all: { text: string; finish: (string | null)[] }[] = [];
  for (const { index, text, finish_reason } of chunks.flatMap(chunk => chunk.choices)) {
    all[index] ??= { text: '', finish: [] };
    (all[index] as { text: string }).text += text;
    if (finish_reason !== null) all[index]?.finish.push(finish_reason);
  }
  return all;
}

it.each([
  ['texts', ['one', 'two', 'three']],
  ['lists of ids', ['one', 'two', 'three'].map(text => Array.from(text, letter => letter.charCodeAt(0)))],
])(
  'several %s: each has its choice, whole and streamed, with its own limit and reason',
  async (_what, prompt) => {
    const { url, engine } = await serveScripted(text => (text === 'two' ? ' second' : ` ${text}!`));
    const body = { prompt, max_tokens: 6, stream_options: { include_usage: true } };
    const whole = (await post(`${url}/v1/completions`, body).then(response => response.json())) as Chunk;
    expect(whole.choices).toEqual([
      { index: 0, text: ' one!', finish_reason: 'stop', logprobs: null },
      { index: 1, text: ' secon', finish_reason: 'length', logprobs: null },
      { index: 2, text: ' three', finish_reason: 'length', logprobs: null },
    ]);
    expect(whole.usage).toMatchObject({ prompt_tokens: 11, completion_tokens: 17 });
    expect(engine.mostRunning).toBe(1);
    const chunks = await streamed(url, body);
    expect(byIndex(chunks)).toEqual([
      { text: ' one!', finish: ['stop'] },
      { text: ' secon', finish: ['length'] },
      { text: ' three', finish: ['length'] },
    ]);
    expect(chunks.at(-1)?.usage).toEqual(whole.usage);
  },
);

it('several prompts with echo and log-probabilities; one that says nothing has its choice too', async () => {
  const { url } = await serveScripted(text => (text === 'b' ? '' : 'xy'));
  const body = { prompt: ['a', 'b', 'c'], echo: true, logprobs: 1 };
  const whole = (await post(`${url}/v1/completions`, body).then(response => response.json())) as Chunk;
  expect(whole.choices.map(({ text }) => text)).toEqual(['axy', 'b', 'cxy']);
  expect(byIndex(await streamed(url, body)).map(({ text }) => text)).toEqual(['axy', 'b', 'cxy']);
});

it('128 prompts; the client leaves in the middle: the rest is not begun', async () => {
  const { url, engine } = await serveScripted(async function* (_prompt, { signal }) {
    yield 'a';
    await new Promise(resolve => signal?.addEventListener('abort', resolve));
    yield 'b';
  });
  const leave = new AbortController();
  const body = JSON.stringify({ prompt: Array(128).fill('x'), stream: true });
  const response = await fetch(`${url}/v1/completions`, { method: 'POST', body, signal: leave.signal });
  await response.body?.getReader().read();
  leave.abort();
  await expect.poll(() => engine.running, { timeout: 5000 }).toBe(0);
  expect(engine.requests).toHaveLength(1);
});

it('a prompt that fails ends the request: an error, whole and streamed', async () => {
  const { url } = await serveScripted(text => {
    if (text === 'bad') throw new Error('broken');
    return 'fine';
  });
  const body = { prompt: ['good', 'bad', 'good'] };
  expect((await post(`${url}/v1/completions`, body)).status).toBe(500);
  const response = await post(`${url}/v1/completions`, { ...body, stream: true });
  const events = (await response.text()).trim().split('\n\n');
  expect(events.filter(event => event.includes('"index":0'))).not.toEqual([]);
  expect(events.at(-1)).toContain('"error"');
});
