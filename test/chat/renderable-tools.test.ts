import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { probeTemplate } from '../../src/chat/capability.ts';
import type { ToolDefinition } from '../../src/chat/message.ts';
import { RenderableTools } from '../../src/chat/renderable-tools.ts';
import { compileTemplate } from '../../src/chat/template.ts';
import { tryRender } from '../../src/chat/try-render.ts';

const TOKENS = { bosToken: '<s>', eosToken: '</s>' };
const FOLDER = fileURLToPath(new URL('../../../shared/chat-templates/', import.meta.url));
const REASON =
  'skipped: ../shared/chat-templates, the folder of public templates, is not beside this checkout';

function tool(parameters: Record<string, unknown>, description?: string): ToolDefinition {
  const properties = { type: 'object', properties: {}, ...parameters };
  return {
    type: 'function',
    function: { name: 'probe', ...(description !== undefined && { description }), parameters: properties },
  };
}

const of = (properties: object, more = {}) => tool({ properties, ...more }, 'd');

/** As gpt-oss: fails without descriptions, and on what is no object. */
const WORDY = compileTemplate(
  "{% for t in tools %}{{ t.function.name + ': ' + t.function.description }}" +
    "{% for k, v in t.function.parameters.properties.items() %} {{ k + ' ' + v.type + ' ' + v.description }}{% endfor %} | {% endfor %}" +
    '{{ messages[0].content }}',
);

describe('tools that a template fails on', () => {
  const bare = tool({});
  const good = of({ a: { type: 'string', description: 'A' } });
  const two = of({
    a: { type: ['null', 'integer'], description: 'A' },
    b: true,
    c: { $ref: '#/$defs/c' },
    d: { enum: ['x', 1] },
  });

  it('are told in other words, and only they', () => {
    const tools = new RenderableTools(WORDY, TOKENS);
    const messages = [{ role: 'user', content: 'Hi' }];
    const rendered = (list: readonly ToolDefinition[]) => tryRender(WORDY, { messages, tools: list });
    expect(rendered([bare, good, two])).toBeUndefined();
    expect(tools.learn([bare, good, two])).toBe(true);
    const told = tools.of([bare, good, two]);
    expect(told[1]).toBe(good);
    expect(rendered(told)).toBe(
      'probe:  | probe: d a string A | probe: d a integer A b string  c string  d string  | Hi',
    );
    expect(tools.of([bare, good, two])).toEqual(told);
    expect(tools.learn([bare, good, two])).toBe(false);
  });

  it('are not to blame where the template fails on the conversation', () => {
    const refusing = compileTemplate("{{ raise_exception('no') }}");
    expect(new RenderableTools(refusing, TOKENS).learn([bare, good])).toBe(false);
  });

  it('are looked for no longer than a while', () => {
    const slow = compileTemplate(
      '{% if tools %}{% for i in range(90000) %}{% for j in range(90000) %}{% endfor %}{% endfor %}{% endif %}',
    );
    const began = performance.now();
    expect(new RenderableTools(slow, TOKENS).learn(Array.from({ length: 50 }, () => tool({})))).toBe(false);
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});

const ODD: Record<string, ToolDefinition> = {
  'no description': tool({ properties: { a: { type: 'string', description: 'd' } } }),
  'no description of an argument': of({ a: { type: 'integer' } }),
  'two types': of({ a: { type: ['string', 'null'] }, b: { type: ['array', 'null'], items: true } }),
  unions: of({ a: { anyOf: [{ type: 'string' }, { type: 'null' }] } }),
  'any value': of({ a: true, b: {}, c: { type: 'array', items: true } }),
  references: of(
    { a: { $ref: '#/$defs/x' } },
    { $defs: { x: { properties: { y: { $ref: '#/$defs/x' } } } } },
  ),
  nulls: of({ a: { type: 'object', properties: null, required: null, description: null, enum: null } }),
  numbers: of({ a: { type: 'string', description: 5, title: [] } }),
  'an object of anything': of({ a: { type: 'object' }, b: { type: 'array' } }, { required: ['zz'] }),
};

it('public templates with tools of their own format render odd tools', ({ skip }) => {
  if (!existsSync(FOLDER)) skip(REASON);
  const messages = [{ role: 'user', content: 'Hi' }];
  const failed: string[] = [];
  for (const file of readdirSync(FOLDER).filter(name => name.endsWith('.jinja'))) {
    const template = compileTemplate(readFileSync(FOLDER + file, 'utf8'));
    if (!probeTemplate(template, TOKENS).rendersTools) continue;
    for (const [name, odd] of Object.entries(ODD)) {
      const tools = new RenderableTools(template, TOKENS);
      const renders = () =>
        tryRender(template, { ...TOKENS, messages, tools: tools.of([odd]) }) !== undefined;
      if (!renders() && !(tools.learn([odd]) && renders())) failed.push(`${file}: ${name}`);
    }
  }
  expect(failed).toEqual([]);
});
