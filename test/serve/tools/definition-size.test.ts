import { expect, it } from 'vitest';
import { serveScripted } from '../scripted.ts';

const wide = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 2000 }, (_, i) => [`property${i}`, { type: 'string' }]),
  ),
};
const deep = JSON.parse(`${'{"items":'.repeat(70)}{}${'}'.repeat(70)}`) as object;
const tool = (parameters: object) => ({ name: 'big', parameters });
const user = [{ role: 'user', content: 'hi' }];
const openai = (message: string, param: string) => ({
  error: { message, type: 'invalid_request_error', param, code: null },
});
const TOO_WIDE = "tools: the definition of 'big' is larger than 32 KB";
const TOO_DEEP = "tools: the definition of 'big' is nested deeper than 64 levels";

it.each([
  [
    '/v1/chat/completions',
    { messages: user, tools: [{ type: 'function', function: tool(wide) }] },
    openai(TOO_WIDE, 'tools'),
  ],
  [
    '/v1/chat/completions',
    { messages: user, stream: true, tools: [{ type: 'function', function: tool(deep) }] },
    openai(TOO_DEEP, 'tools'),
  ],
  [
    '/v1/chat/completions',
    { messages: user, response_format: { type: 'json_schema', json_schema: { name: 'a', schema: wide } } },
    openai('response_format: the schema is larger than 32 KB', 'response_format'),
  ],
  ['/v1/responses', { input: 'hi', tools: [{ type: 'function', ...tool(deep) }] }, openai(TOO_DEEP, 'tools')],
  [
    '/v1/responses',
    { input: 'hi', text: { format: { type: 'json_schema', name: 'a', schema: deep } } },
    openai('text.format: the schema is nested deeper than 64 levels', 'text.format'),
  ],
  [
    '/api/chat',
    { model: 'scripted', messages: user, tools: [{ type: 'function', function: tool(wide) }] },
    { error: TOO_WIDE },
  ],
  [
    '/api/chat',
    { model: 'scripted', messages: user, format: deep },
    { error: 'format: the schema is nested deeper than 64 levels' },
  ],
  [
    '/api/generate',
    { model: 'scripted', prompt: 'hi', format: wide },
    { error: 'format: the schema is larger than 32 KB' },
  ],
])('%s refuses what is too large for a prompt (%#)', async (path, body, answer) => {
  const { url } = await serveScripted(() => 'ok');
  const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  expect({ status: response.status, body: await response.json() }).toEqual({ status: 400, body: answer });
});
