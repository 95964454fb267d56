import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { answer, FakeHost } from '../../agent/fakes.ts';
import { callText, type Script, type ServeOptions, serveScripted } from '../scripted.ts';

const model = 'org/scripted';
const PLAIN =
  '{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}{{ tools }}<tool_call>[assistant] ';
/** The model opens its thoughts itself, and the template can turn them off. */
const OPENS = `${PLAIN}{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n{% endif %}`;
/** The prompt opens them. */
const OPENED = `${PLAIN}<think>\n{% if enable_thinking is defined and not enable_thinking %}\n</think>\n\n{% endif %}`;
const BUDGET = 1024;
const CLOSED = '\n</think>\n\n';
/** Characters of a thought are tokens here. A repeated text would be stopped for that. */
const THOUGHT = Array.from({ length: 900 }, (_, index) => index.toString(36)).join(' ');

async function clientOf(script: Script, options: ServeOptions = {}) {
  const server = await serveScripted(script, { template: OPENS, ...options });
  const client = new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 0 });
  const create = (fields: Partial<Anthropic.MessageCreateParamsNonStreaming> = {}) =>
    client.messages.create({
      model,
      max_tokens: 5000,
      messages: [{ role: 'user', content: 'Why?' }],
      thinking: { type: 'enabled', budget_tokens: BUDGET },
      ...fields,
    });
  return { ...server, create };
}

function thoughtOf({ content }: Anthropic.Message): string {
  return content.map(block => (block.type === 'thinking' ? block.thinking : '')).join('');
}

describe('thinking.budget_tokens', () => {
  it.each([
    ['the model opens', OPENS, `<think>${THOUGHT}`],
    ['the prompt opens', OPENED, THOUGHT],
  ])('closes a thought that %s', async (_, template, thinks) => {
    const { create, engine } = await clientOf(prompt => (prompt.endsWith(CLOSED) ? 'Because.' : thinks), {
      template,
    });
    const reply = await create();
    expect(thoughtOf(reply).trim()).toBe(THOUGHT.slice(0, BUDGET).trim());
    expect(reply.content.at(-1)).toMatchObject({ type: 'text', text: 'Because.' });
    expect(reply.stop_reason).toBe('end_turn');
    const opener = thinks.length - THOUGHT.length;
    expect(reply.usage.output_tokens).toBe(opener + BUDGET + CLOSED.length + 'Because.'.length);
    // The second run goes on from the first, with what is left of the tokens.
    const [first, second] = engine.requests;
    const said = (second?.promptIds.length ?? 0) - (first?.promptIds.length ?? 0);
    expect(second).toMatchObject({ continued: said, maxTokens: 5000 - said });
  });

  it('leaves a shorter thought alone', async () => {
    const { create, engine } = await clientOf(() => '<think>\nhm\n</think>\n\nBecause.');
    const reply = await create();
    expect(thoughtOf(reply).trim()).toBe('hm');
    expect(reply.content.at(-1)).toMatchObject({ text: 'Because.' });
    expect(engine.requests).toHaveLength(1);
  });

  it('holds for all replies of a request together', async () => {
    const half = THOUGHT.slice(0, 600);
    const { create, engine } = await clientOf(
      prompt => {
        if (prompt.endsWith(CLOSED)) return 'Because.';
        return prompt.includes('blue')
          ? `<think>${THOUGHT}`
          : `<think>${half}</think>${callText('look', {})}`;
      },
      { turns: { tools: new FakeHost({ look: answer('blue') }) } },
    );
    const reply = await create();
    expect(reply.content.at(-1)).toMatchObject({ text: 'Because.' });
    const left = BUDGET - `${half}</think>`.length;
    const last = String.fromCodePoint(...Array.from(engine.requests.at(-1)?.promptIds ?? []));
    expect(last.endsWith(`<think>${THOUGHT.slice(0, left)}${CLOSED}`)).toBe(true);
  });

  it('a thought that never ends fills max_tokens, and no more', async () => {
    const { create } = await clientOf(() => `<think>${THOUGHT}`);
    const reply = await create({ max_tokens: 1100 });
    expect(reply.stop_reason).toBe('max_tokens');
    expect(reply.usage.output_tokens).toBeLessThanOrEqual(1100);
  });

  it('is refused for a model whose thoughts cannot be limited', async () => {
    const { create, context } = await clientOf(() => 'Hm.');
    Object.defineProperty(context.turns, 'limitsThinking', { value: false });
    await expect(create()).rejects.toThrow(
      'thinking.budget_tokens: the thoughts of this model cannot be limited',
    );
    expect((await create({ thinking: { type: 'adaptive' } })).content).toMatchObject([{ text: 'Hm.' }]);
  });
});
