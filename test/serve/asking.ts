import { setTimeout as sleep } from 'node:timers/promises';

export const chat = (url: string, body: unknown, init: RequestInit = {}) =>
  fetch(`${url}/v1/chat/completions`, {
    ...{ method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), ...init },
  });

export const ask = (content: string, more: object = {}) => ({
  messages: [{ role: 'user', content }],
  ...more,
});

export const contentOf = async (response: Response) =>
  ((await response.json()) as { choices: { message: { content: string } }[] }).choices[0]?.message.content;

/** A model that never stops. */
export async function* endless() {
  for (;;) {
    await sleep(1);
    yield 'x';
  }
}
