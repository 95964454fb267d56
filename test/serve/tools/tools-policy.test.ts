import { expect, it } from 'vitest';
import { TOOLS_POLICIES, type ToolsPolicy } from '../../../src/serve/http/tools-policy.ts';
import { answer, FakeHost } from '../../agent/fakes.ts';
import { callText, serveScripted } from '../scripted.ts';

const FUNCTION = { name: 'add', description: 'Adds two', parameters: { type: 'object', properties: {} } };
const messages = [{ role: 'user', content: 'Hi' }];

/** A body without tools, and a tool as that API names it. */
const APIS: Readonly<Record<string, readonly [body: object, tool: object]>> = {
  '/v1/chat/completions': [{ messages }, { type: 'function', function: FUNCTION }],
  '/v1/responses': [{ input: 'Hi' }, { type: 'function', ...FUNCTION }],
  '/v1/messages': [
    { messages, max_tokens: 50 },
    { name: 'add', description: 'Adds two', input_schema: FUNCTION.parameters },
  ],
  '/api/chat': [
    { messages, model: 'scripted', stream: false },
    { type: 'function', function: FUNCTION },
  ],
};

/** Whose tools the prompt has: without any of its own in the request, and with one. */
const WANTED: Readonly<Record<ToolsPolicy, readonly [string, string]>> = {
  auto: ['ours', 'own'],
  all: ['ours', 'own and ours'],
  own: ['', 'own'],
  none: ['', ''],
};

async function serve(toolsPolicy: ToolsPolicy) {
  const prompts: string[] = [];
  const script = (prompt: string) => {
    prompts.push(prompt);
    return 'Done.';
  };
  const tools = new FakeHost({ look_up: answer('blue') });
  const { url } = await serveScripted(script, { toolsPolicy, turns: { tools } });
  return async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(body), headers });
    const prompt = prompts.at(-1) ?? '';
    const seen = [prompt.includes('Adds two') && 'own', prompt.includes('look_up') && 'ours'];
    return {
      status: response.status,
      text: await response.text(),
      tools: seen.filter(Boolean).join(' and '),
    };
  };
}

it.each(Object.entries(APIS))('%s: the header, and the default of the server', async (path, [body, tool]) => {
  const withOwn = { ...body, tools: [tool] };
  const send = await serve('auto');
  for (const policy of TOOLS_POLICIES) {
    const asked = { 'x-llm-host-tools': policy };
    const byHeader = [await send(path, body, asked), await send(path, withOwn, asked)];
    expect([policy, byHeader.map(({ tools }) => tools)]).toEqual([policy, WANTED[policy]]);
    const ofServer = await serve(policy);
    const byDefault = [await ofServer(path, body), await ofServer(path, withOwn)];
    expect([policy, byDefault.map(({ tools }) => tools)]).toEqual([policy, WANTED[policy]]);
  }
  expect((await send(path, withOwn)).tools).toBe('own');
  expect((await send(path, { ...body, tools: [] })).tools).toBe('ours');
});

it.each(Object.keys(APIS))('%s: any other word is refused', async path => {
  const send = await serve('auto');
  for (const word of ['mine', '', 'ALL', 'own, all']) {
    const { status, text } = await send(path, APIS[path]?.[0] ?? {}, { 'x-llm-host-tools': word });
    expect([word, status, text]).toEqual([word, 400, expect.stringContaining('auto, all, own, none')]);
  }
});

it('a tool of ours can be demanded where ours are offered, and only there', async () => {
  const send = await serve('auto');
  const path = '/v1/chat/completions';
  const demanded = { messages, tool_choice: { type: 'function', function: { name: 'look_up' } } };
  expect((await send(path, demanded)).status).toBe(200);
  const withOwn = { ...demanded, tools: [{ function: FUNCTION }] };
  expect(await send(path, withOwn)).toMatchObject({ status: 400, text: expect.stringContaining('look_up') });
  expect((await send(path, withOwn, { 'x-llm-host-tools': 'all' })).status).toBe(200);
  const required = { messages, tool_choice: 'required' };
  expect((await send(path, required, { 'x-llm-host-tools': 'none' })).status).toBe(400);
  expect((await send(path, required, { 'x-llm-host-tools': 'own' })).status).toBe(400);
});

it('a call of a tool that is not offered does not run', async () => {
  const tools = new FakeHost({ look_up: answer('blue') });
  const { url } = await serveScripted(
    prompt => (prompt.includes('Error') ? 'Sorry.' : callText('look_up', {})),
    { turns: { tools } },
  );
  const body = JSON.stringify({ messages, tools: [{ function: FUNCTION }] });
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body });
  expect(response.status).toBe(200);
  expect(tools.calls).toEqual([]);
});
