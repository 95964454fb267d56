// The official openai, anthropic and ollama packages from npm against a server; run by scripts/check/program/serve-clients.mjs.
//   node npm.mjs URL KEY
import Anthropic from '@anthropic-ai/sdk';
import { Ollama } from 'ollama';
import OpenAI from 'openai';

const [url, key] = process.argv.slice(2);
const model = 'demo';
const sum = [{ role: 'user', content: 'What is 17 + 25?' }];
const capital = [{ role: 'user', content: 'What is the capital of France?' }];
const weather = [{ role: 'user', content: 'What is the weather in Paris?' }];
const long = [{ role: 'user', content: 'Tell me a long story about a fox.' }];
const definition = {
  name: 'get_weather',
  description: 'Get the weather in a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const tools = [{ type: 'function', function: definition }];
const schema = {
  type: 'object',
  properties: { city: { type: 'string', maxLength: 20 }, capital: { type: 'boolean' } },
  required: ['city', 'capital'],
  additionalProperties: false,
};

const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
const anthropic = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 });
const ollama = new Ollama({ host: url, headers: { authorization: `Bearer ${key}` } });

function shown(name, passed, seen) {
  console.log(`${passed ? 'ok  ' : 'FAIL'} ${name}: ${JSON.stringify(String(seen).slice(0, 90))}`);
  if (!passed) process.exit(1);
}

async function refused(name, status, asked) {
  const error = await asked.catch(thrown => thrown);
  shown(name, (error.status ?? error.status_code) === status, error.message ?? 'it was answered');
}

const isCity = text => Object.keys(JSON.parse(text)).sort().join() === 'capital,city';

async function openaiChat() {
  const create = async fields =>
    (await client.chat.completions.create({ model, ...fields })).choices[0].message;
  let { content } = await create({ messages: capital });
  shown('openai chat', content.includes('Paris'), content);
  let text = '';
  for await (const chunk of await client.chat.completions.create({ model, messages: capital, stream: true }))
    text += chunk.choices[0]?.delta.content ?? '';
  shown('openai stream', text.includes('Paris'), text);
  ({ content } = await create({ messages: sum }));
  shown('openai, tools of mcp.json', content.includes('42'), content);
  const tool_choice = { type: 'function', function: { name: 'get_weather' } };
  const message = await create({ messages: weather, tools, tool_choice });
  const [call] = message.tool_calls;
  shown(
    'openai, tools of the client',
    'city' in JSON.parse(call.function.arguments),
    call.function.arguments,
  );
  const result = { role: 'tool', tool_call_id: call.id, content: 'It is sunny.' };
  ({ content } = await create({ messages: [...weather, message, result], tools }));
  shown('openai, the result of a call', content !== '', content);
  const response_format = { type: 'json_schema', json_schema: { name: 'city', schema, strict: true } };
  ({ content } = await create({ messages: capital, response_format, max_tokens: 60 }));
  shown('openai, JSON schema', isCity(content), content);
}

async function openaiRest() {
  const { output_text: whole } = await client.responses.create({ model, input: capital });
  shown('openai responses', whole.includes('Paris'), whole);
  const final = await client.responses.stream({ model, input: sum }).finalResponse();
  shown('openai responses, stream', final.output_text.includes('42'), final.output_text);
  const stream = await client.chat.completions.create({ model, messages: long, stream: true });
  for await (const chunk of stream) if (chunk.choices[0]) break;
  shown('openai, abort', stream.controller.signal.aborted, 'aborted after the first chunk');
  const { choices } = await client.chat.completions.create({ model, messages: capital });
  shown('openai, after the abort', choices[0].message.content.includes('Paris'), choices[0].message.content);
  const asked = client.chat.completions.create({ model: 'gpt-4o', messages: sum });
  await refused('openai, wrong model', 404, asked);
  const wrong = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'wrong', maxRetries: 0 });
  await refused('openai, wrong key', 401, wrong.models.list());
}

async function anthropicMessages() {
  const base = { model, max_tokens: 60 };
  const create = fields => anthropic.messages.create({ ...base, ...fields });
  const first = await create({ messages: capital, system: 'Answer in one sentence.' });
  shown('anthropic messages', first.content[0].text.includes('Paris'), first.content[0].text);
  const streamed = await anthropic.messages.stream({ ...base, messages: capital }).finalMessage();
  const { usage } = streamed;
  shown('anthropic stream', streamed.content[0].text.includes('Paris'), streamed.content[0].text);
  shown('anthropic, cached tokens', usage.cache_read_input_tokens > 0, JSON.stringify(usage));
  const [{ text: summed }] = (await create({ messages: sum })).content;
  shown('anthropic, tools of mcp.json', summed.includes('42'), summed);
  const { parameters: input_schema, ...named } = definition;
  const asked = { messages: weather, tools: [{ ...named, input_schema }] };
  const counted = await anthropic.messages.countTokens({ model, ...asked });
  const { content, stop_reason } = await create({
    ...asked,
    tool_choice: { type: 'tool', name: 'get_weather' },
  });
  const call = content.at(-1);
  shown(
    'anthropic, tools of the client',
    stop_reason === 'tool_use' && 'city' in call.input,
    JSON.stringify(call),
  );
  const result = [{ type: 'tool_result', tool_use_id: call.id, content: 'It is sunny.' }];
  const turns = [...weather, { role: 'assistant', content }, { role: 'user', content: result }];
  const [{ text: told }] = (await create({ ...asked, messages: turns })).content;
  shown('anthropic, the result of a call', told !== '' && counted.input_tokens > 0, told);
  const output_config = { format: { type: 'json_schema', schema } };
  const [{ text: json }] = (await create({ messages: capital, output_config })).content;
  shown('anthropic, JSON schema', isCity(json), json);
}

async function anthropicRest() {
  const stream = await anthropic.messages.create({ model, max_tokens: 500, messages: long, stream: true });
  for await (const event of stream) if (event.type === 'content_block_delta') break;
  shown('anthropic, abort', stream.controller.signal.aborted, 'aborted after the first delta');
  const create = fields => anthropic.messages.create({ model, max_tokens: 60, messages: capital, ...fields });
  const [{ text }] = (await create({})).content;
  shown('anthropic, after the abort', text.includes('Paris'), text);
  await refused('anthropic, wrong model', 404, create({ model: 'claude-opus-4-6' }));
  const source = { type: 'base64', media_type: 'image/png', data: 'AA==' };
  const image = [{ role: 'user', content: [{ type: 'image', source }] }];
  await refused('anthropic, an image', 400, create({ messages: image }));
  const wrong = new Anthropic({ baseURL: url, apiKey: 'wrong', maxRetries: 0 });
  await refused('anthropic, wrong key', 401, wrong.models.list());
  const { data } = await anthropic.models.list();
  shown('anthropic, models', data[0].id === model, data[0].display_name);
}

async function ollamaChat() {
  const chat = async fields => (await ollama.chat({ model, ...fields })).message;
  let { content } = await chat({ messages: capital });
  shown('ollama chat', content.includes('Paris'), content);
  content = '';
  for await (const part of await ollama.chat({ model, messages: capital, stream: true }))
    content += part.message.content;
  shown('ollama stream', content.includes('Paris'), content);
  ({ content } = await chat({ messages: sum }));
  shown('ollama, tools of mcp.json', content.includes('42'), content);
  const { tool_calls: calls } = await chat({ messages: weather, tools });
  const [{ function: called }] = calls;
  shown('ollama, tools of the client', called.arguments.city === 'Paris', JSON.stringify(called));
  ({ content } = await chat({ messages: capital, format: schema, options: { num_predict: 60 } }));
  shown('ollama, JSON schema', isCity(content), content);
}

async function ollamaRest() {
  const stream = await ollama.chat({ model, messages: long, stream: true });
  const aborted = await (async () => {
    for await (const _part of stream) stream.abort();
  })().catch(error => error);
  shown('ollama, abort', aborted?.name === 'AbortError', aborted?.name);
  const { message } = await ollama.chat({ model, messages: capital });
  shown('ollama, after the abort', message.content.includes('Paris'), message.content);
  await refused('ollama, wrong model', 404, ollama.chat({ model: 'qwen2:7b', messages: sum }));
  const wrong = new Ollama({ host: url, headers: { authorization: 'Bearer wrong' } });
  await refused('ollama, wrong key', 401, wrong.list());
}

await openaiChat();
await openaiRest();
await anthropicMessages();
await anthropicRest();
await ollamaChat();
await ollamaRest();
