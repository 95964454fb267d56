import { expect, test } from 'vitest';
import { MAIN, Program, workplace } from '../program.ts';

const properties = { film: { type: 'string' }, count: { type: 'integer' }, time: { type: 'string' } };
const TICKETS = {
  name: 'buy_tickets',
  description: 'Buys cinema tickets.',
  parameters: { type: 'object', properties, required: Object.keys(properties) },
};

interface Said {
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[];
}

/** What the demo says, its calls held to the schema. */
async function ask(url: string, content: string, confidence: number): Promise<Said> {
  const body = JSON.stringify({
    messages: [{ role: 'user', content }],
    tools: [{ type: 'function', function: TICKETS }],
    call_confidence: confidence,
  });
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body });
  expect(response.status).toBe(200);
  const { choices } = (await response.json()) as { choices: [{ message: Said }] };
  return choices[0].message;
}

test('the real model invents what nobody said, and takes the call back where it has to be sure', {
  timeout: 180_000,
}, async () => {
  const { dir, env } = workplace();
  const server = new Program(MAIN, ['serve', 'demo', '--no-mcp', '--port', '0'], { cwd: dir, env });
  const url = await server.url();
  const invented = await ask(url, 'Get me 2 tickets for Alien', 0.05);
  const calls = invented.tool_calls?.map(call => JSON.parse(call.function.arguments));
  expect(calls).toEqual([{ film: 'Alien', count: 2, time: expect.any(String) }]);
  const withdrawn = await ask(url, 'Get me 2 tickets for Alien', 0.9);
  expect([withdrawn.tool_calls, withdrawn.content]).toEqual([undefined, expect.stringMatching(/\w/)]);
});
