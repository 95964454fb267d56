import { expect, it } from 'vitest';
import { answer, FakeHost } from '../../agent/fakes.ts';
import { callText, serveScripted } from '../scripted.ts';

const ADD = { name: 'add', description: 'Adds two', parameters: { type: 'object', properties: {} } };
const asked = { role: 'user', content: 'Hi' };

/** As Llama's: calls stand alone, so that each is written with the result of its id. */
const ONE_CALL_EACH = `
{%- for one in tools or [] %}{{ one.function.name }} {{ one.function.description }}
{% endfor %}
{%- for message in messages %}
{%- if message.tool_calls and message.tool_calls | length != 1 %}{{ raise_exception('one call only') }}{% endif %}
{%- if message.tool_calls %}<tool_call>{{ message.tool_calls[0].function | tojson }}</tool_call>
{%- else %}[{{ message.role }}] {{ message.content }}{% endif %}
{% endfor %}`;

/** The server's tool is called, then the client's, whose result goes back. */
async function lastPrompt(
  exchange: (post: (path: string, body: object) => Promise<unknown>) => Promise<void>,
) {
  const prompts: string[] = [];
  const script = (prompt: string) => {
    prompts.push(prompt);
    return [callText('look_up', {}), callText('add', {})][prompts.length - 1] ?? 'Done.';
  };
  const tools = new FakeHost({ look_up: answer('blue') });
  const { url } = await serveScripted(script, {
    turns: { tools },
    toolsPolicy: 'all',
    template: ONE_CALL_EACH,
  });
  await exchange(async (path, body) => {
    const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
    return await response.json();
  });
  expect(prompts).toHaveLength(3);
  return prompts[2] ?? '';
}

const IN_ORDER = /look_up.*\[tool\] blue.*"add".*\[tool\] forty-two/s;

it.each([true, false])(
  "Ollama's clients: a result follows the call behind hidden ones, ids kept: %s",
  async kept => {
    const prompt = await lastPrompt(async post => {
      const body = { model: 'scripted', stream: false, tools: [{ type: 'function', function: ADD }] };
      const { message } = (await post('/api/chat', { ...body, messages: [asked] })) as {
        message: { tool_calls: { id: string; function: object }[] };
      };
      const [call] = message.tool_calls;
      const reply = { ...message, tool_calls: [kept ? call : { function: call?.function }] };
      const result = {
        role: 'tool',
        content: 'forty-two',
        tool_name: 'add',
        ...(kept && { tool_call_id: call?.id }),
      };
      await post('/api/chat', { ...body, messages: [asked, reply, result] });
    });
    expect(prompt).toMatch(IN_ORDER);
  },
);

it("a client's own ids of calls are those of its results", async () => {
  const prompt = await lastPrompt(async post => {
    const body = { tools: [{ type: 'function', function: ADD }] };
    const path = '/v1/chat/completions';
    const { choices } = (await post(path, { ...body, messages: [asked] })) as {
      choices: { message: { tool_calls: object[] } }[];
    };
    const message = choices[0]?.message;
    const reply = { ...message, tool_calls: [{ ...message?.tool_calls[0], id: 'mine' }] };
    const result = { role: 'tool', content: 'forty-two', tool_call_id: 'mine' };
    await post(path, { ...body, messages: [asked, reply, result] });
  });
  expect(prompt).toMatch(IN_ORDER);
});
