import { expect, test } from 'vitest';
import { MAIN, Program, workplace } from '../program.ts';

const TOPICS = 'rain rivers bread clocks bees maps salt music trains snow';

/** From some 40 tokens to more than two of attention's blocks of 128. */
const PROMPTS = TOPICS.split(' ').map((topic, i) => {
  const known = Array.from(
    { length: 1 + 2 * i },
    (_, k) => `Note ${k + 1}: ${topic} costs ${(7 * k + i) % 90} coins.`,
  );
  return `${known.join(' ')} Tell me a short story about ${topic}.`;
});

async function reply(url: string, prompt: string, seed: number, maxTokens = 32): Promise<string> {
  const messages = [{ role: 'user', content: prompt }];
  const body = JSON.stringify({ messages, seed, temperature: 1, max_tokens: maxTokens });
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body });
  expect(response.status).toBe(200);
  const { choices } = (await response.json()) as { choices: [{ message: { content: string } }] };
  return choices[0].message.content;
}

test('a seed gives the same text cold, repeated, partly cached and beside other requests', {
  timeout: 600_000,
}, async () => {
  const { dir, env } = workplace();
  const server = new Program(MAIN, ['serve', 'demo', '--no-mcp', '--port', '0'], { cwd: dir, env });
  const url = await server.url();
  const cold: string[] = [];
  for (const [seed, prompt] of PROMPTS.entries()) cold.push(await reply(url, prompt, seed));
  expect(new Set(cold).size).toBe(PROMPTS.length);
  for (const [seed, prompt] of PROMPTS.entries()) {
    expect(await reply(url, prompt, seed), `repeated: ${prompt}`).toBe(cold[seed]);
    const half = prompt.slice(0, (prompt.length * (seed + 1)) / (PROMPTS.length + 1));
    await reply(url, `${half} and so on`, 99, 3);
    expect(await reply(url, prompt, seed), `partly cached: ${prompt}`).toBe(cold[seed]);
  }
  const beside = PROMPTS.map((prompt, seed) => reply(url, prompt, seed));
  expect(await Promise.all([...beside.reverse()])).toEqual([...cold].reverse());
});
