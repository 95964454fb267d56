import { describe, expect, it } from 'vitest';
import type { TokenLogprob } from '../../src/agent/events/turn-event.ts';
import { ollamaFormat } from '../../src/serve/ollama/formats.ts';
import { logprobItems } from '../../src/serve/openai/chat-format.ts';
import { serveScripted } from './scripted.ts';

const PART: TokenLogprob = {
  token: '\ufffd',
  bytes: [240],
  logprob: -1,
  top: [
    { token: '\ufffd', bytes: [159], logprob: -1 },
    { token: 'é', logprob: -2 },
  ],
};
const LISTED = {
  token: '\ufffd',
  bytes: [240],
  logprob: -1,
  top_logprobs: [
    { token: '\ufffd', bytes: [159], logprob: -1 },
    { token: 'é', bytes: [0xc3, 0xa9], logprob: -2 },
  ],
};

describe('log-probabilities', () => {
  it('have the bytes of the token, not those of its text', () => {
    expect(logprobItems([PART])).toEqual([LISTED]);
    expect(JSON.parse(ollamaFormat('m', 'chat').text('x', [PART])).logprobs).toEqual([LISTED]);
  });

  it('of white space before a reply are in the stream as in the whole', async () => {
    const { url } = await serveScripted(() => ' \n Hi you');
    const ask = async (stream: boolean) => {
      const body = { messages: [{ role: 'user', content: '?' }], logprobs: true, stream };
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify(body),
      });
      return await response.text();
    };
    const tokensOf = (listed: { content: { token: string }[] } | null | undefined) =>
      (listed?.content ?? []).map(({ token }) => token);
    const whole = JSON.parse(await ask(false)).choices[0];
    const parts = (await ask(true))
      .split('\n\n')
      .filter(line => line.startsWith('data: {'))
      .map(line => JSON.parse(line.slice(6)).choices[0]);
    expect(parts.map(part => part?.delta?.content ?? '').join('')).toBe('Hi you');
    expect(parts.flatMap(part => tokensOf(part?.logprobs))).toEqual(tokensOf(whole.logprobs));
    expect(tokensOf(whole.logprobs).join('')).toBe(' \n Hi you');
  });
});
