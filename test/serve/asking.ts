import { setTimeout as sleep } from 'node:timers/promises';

export const chat = (url: string, body: unknown, init: RequestInit = {}) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  });

export const ask = (content: string, more: object = {}) => ({
  messages: [{ role: 'user', content }],
  ...more,
});

export const contentOf = async (response: Response) =>
  ((await response.json()) as { choices: { message: { content: string } }[] }).choices[0]?.message.content;

/** A model that never stops. */
export async function* endless() {
  for (let index = 0; ; index = (index + 1) % 1000) {
    await sleep(1);
    // A character a token, no two alike in sight.
    yield String.fromCharCode(0x4e00 + index);
  }
}
