import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { demoFiles } from '../../../src/model/demo-model.ts';
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

/** The demo's adapter, as sure of its calls as `callConfidence` says. */
function adapterIn(dir: string, callConfidence: number): string {
  const own = demoFiles(process.env).adapter as string;
  const folder = join(dir, 'adapter');
  mkdirSync(folder);
  symlinkSync(join(own, 'adapters.safetensors'), join(folder, 'adapters.safetensors'));
  const config = JSON.parse(readFileSync(join(own, 'adapter_config.json'), 'utf8')) as object;
  const changed = { ...config, llm_host: { call_confidence: callConfidence } };
  writeFileSync(join(folder, 'adapter_config.json'), JSON.stringify(changed));
  return folder;
}

/** What the demo says, its calls held to the schema. */
async function ask(content: string, callConfidence: number): Promise<Said> {
  const { dir, env } = workplace();
  const args = ['serve', 'demo', '--no-mcp', '--port', '0', '--adapter', adapterIn(dir, callConfidence)];
  const url = await new Program(MAIN, args, { cwd: dir, env }).url();
  const body = JSON.stringify({
    messages: [{ role: 'user', content }],
    tools: [{ type: 'function', function: TICKETS }],
  });
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body });
  expect(response.status).toBe(200);
  const { choices } = (await response.json()) as { choices: [{ message: Said }] };
  return choices[0].message;
}

test('the real model invents what nobody said, and takes the call back where it has to be sure', {
  timeout: 180_000,
}, async () => {
  const invented = await ask('Get me 2 tickets for Alien', 0.05);
  const calls = invented.tool_calls?.map(call => JSON.parse(call.function.arguments));
  expect(calls).toEqual([{ film: 'Alien', count: 2, time: expect.any(String) }]);
  const withdrawn = await ask('Get me 2 tickets for Alien', 0.9);
  expect([withdrawn.tool_calls, withdrawn.content]).toEqual([undefined, expect.stringMatching(/\w/)]);
});
