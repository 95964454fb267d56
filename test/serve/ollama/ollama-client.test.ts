import { Ollama } from 'ollama';
import { describe, expect, it } from 'vitest';
import { answer, FakeHost } from '../../agent/fakes.ts';
import { endless } from '../asking.ts';
import { callText, question, type Script, type ServeOptions, serveScripted, until } from '../scripted.ts';

async function clientOf(script: Script, options?: ServeOptions) {
  const server = await serveScripted(script, options);
  return { ...server, ollama: new Ollama({ host: server.url }) };
}

const model = 'org/scripted';
const ask = (content: string) => [{ role: 'user', content }];
const ADD = {
  type: 'function',
  function: {
    name: 'add',
    description: 'Adds two numbers',
    parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
  },
};

describe('the official ollama client', () => {
  it('asks for models, details and the version', async () => {
    const { ollama } = await clientOf(() => '');
    expect((await ollama.list()).models).toMatchObject([
      {
        name: model,
        model,
        size: 97_000_000,
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        modified_at: '2023-11-14T22:13:20.000Z',
        details: {
          format: 'gguf',
          family: 'scripted',
          families: ['scripted'],
          parameter_size: '135M',
          quantization_level: '4-bit',
        },
      },
    ]);
    const shown = await ollama.show({ model: 'scripted:latest' });
    expect(shown.capabilities).toEqual(['completion', 'tools']);
    expect(shown.model_info).toMatchObject({
      'general.architecture': 'scripted',
      'scripted.context_length': 20_000,
    });
    expect(shown.template).toContain('tool_call');
    expect((await ollama.ps()).models).toMatchObject([{ name: model, size_vram: 97_000_000 }]);
    expect(await ollama.version()).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  });

  it('chats, whole and as a stream', async () => {
    const { ollama } = await clientOf(prompt => `You said: ${question(prompt)}`);
    const whole = await ollama.chat({ model, messages: ask('Hello') });
    expect(whole).toMatchObject({
      model,
      done: true,
      done_reason: 'stop',
      eval_count: 15,
      message: { role: 'assistant', content: 'You said: Hello' },
    });
    expect(whole.prompt_eval_count).toBeGreaterThan(0);
    const parts: string[] = [];
    let done = false;
    for await (const part of await ollama.chat({ model, messages: ask('Hi'), stream: true })) {
      parts.push(part.message.content);
      done = part.done;
    }
    expect(parts.join('')).toBe('You said: Hi');
    expect(parts.length).toBeGreaterThan(5);
    expect(done).toBe(true);
  });

  it('generates with and without the template', async () => {
    const { ollama, engine } = await clientOf(prompt => `<${prompt.length}>`);
    const { response } = await ollama.generate({ model, prompt: 'Once', system: 'Tell tales.' });
    const prompt = String.fromCodePoint(...Array.from(engine.requests[0]?.promptIds ?? []));
    expect(prompt).toContain('Tell tales.');
    expect(response).toBe(`<${prompt.length}>`);
    expect((await ollama.generate({ model, prompt: 'Once', raw: true })).response).toBe('<4>');
    expect(await ollama.generate({ model, prompt: '' })).toMatchObject({ done: true, done_reason: 'load' });
  });

  it('gets calls of its tools with arguments as objects, and ours run here', async () => {
    const tools = new FakeHost({ look_up: answer('blue') });
    const { ollama } = await clientOf(
      prompt => {
        if (prompt.includes('the sum is 3')) return 'It is 3.';
        return prompt.includes('blue') ? callText('add', { a: 1, b: 2 }) : callText('look_up', {});
      },
      { turns: { tools }, toolsPolicy: 'all' },
    );
    const messages = ask('?');
    const { message } = await ollama.chat({ model, messages, tools: [ADD] });
    expect(message.tool_calls).toMatchObject([{ function: { name: 'add', arguments: { a: 1, b: 2 } } }]);
    expect(tools.calls).toHaveLength(1);
    const next = await ollama.chat({
      model,
      tools: [ADD],
      messages: [...messages, message, { role: 'tool', content: 'the sum is 3', tool_name: 'add' }],
    });
    expect(next.message.content).toBe('It is 3.');
    expect(tools.calls).toHaveLength(1);
  });

  it('gets JSON in a format, and passes its options on', async () => {
    const { ollama, engine } = await clientOf(() => '{"n": 1}');
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const { message } = await ollama.chat({
      model,
      messages: ask('?'),
      format: schema,
      options: {
        temperature: 0.5,
        top_k: 3,
        seed: 7,
        num_predict: 20,
        stop: ['X'],
        repeat_penalty: 1.1,
        num_ctx: 99,
      },
    });
    expect(JSON.parse(message.content)).toEqual({ n: 1 });
    expect(engine.requests[0]).toMatchObject({
      temperature: 0.5,
      topK: 3,
      seed: 7,
      maxTokens: 20,
      repetitionPenalty: 1.1,
    });
  });

  it('abort ends the generation', async () => {
    const { ollama, engine } = await clientOf(endless);
    const stream = await ollama.chat({ model, messages: ask('?'), stream: true });
    await expect(async () => {
      for await (const part of stream) if (part.message.content) stream.abort();
    }).rejects.toThrow(/abort/i);
    await until(() => engine.running === 0);
  });

  it('a wrong model and what there is not are told as Ollama does', async () => {
    const { ollama } = await clientOf(() => 'x');
    await expect(ollama.chat({ model: 'qwen2:7b', messages: ask('?') })).rejects.toMatchObject({
      status_code: 404,
      error: "model 'qwen2:7b' not found",
    });
    await expect(ollama.pull({ model: 'x' })).rejects.toMatchObject({ status_code: 501 });
    await expect(
      ollama.chat({ model, messages: [{ role: 'user', content: '?', images: ['aGk='] }] }),
    ).rejects.toThrow(/takes text/);
  });

  it('forgets the oldest turns of a conversation that is too long', async () => {
    const { ollama, engine } = await clientOf(() => 'ok', { contextLength: 600 });
    const messages = Array.from({ length: 20 }, (_, index) => [
      { role: 'user', content: `question ${index}` },
      { role: 'assistant', content: `answer ${index}` },
    ]).flat();
    const { message } = await ollama.chat({ model, messages: [...messages, ...ask('last')] });
    expect(message.content).toBe('ok');
    const prompt = String.fromCodePoint(...Array.from(engine.requests[0]?.promptIds ?? []));
    expect(prompt).toContain('last');
    expect(prompt).not.toContain('question 0');
  });
});
