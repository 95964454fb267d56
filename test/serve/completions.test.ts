import { expect, it } from 'vitest';
import { ask } from './asking.ts';
import { serveScripted } from './scripted.ts';

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

it.each([
  [{ prompt: ['a', 'b'] }, 'only one text per request'],
  [{ prompt: [[1], [2]] }, 'only one text per request'],
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
