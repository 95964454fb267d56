import { expect, test } from 'vitest';
import type { ReplyStats } from '../../../src/agent/events/turn-event.ts';
import { ServedChatModel } from '../../../src/agent/model/served-model.ts';
import { Conversation } from '../../../src/agent/turn/conversation.ts';
import { createHistory } from '../../../src/chat/history.ts';
import { ServedClient } from '../../../src/engine/served-client.ts';
import type { HostTool } from '../../../src/mcp/tool-host.ts';
import { answer, collect, FakeHost } from '../../agent/fakes.ts';
import { ask, chat } from '../asking.ts';
import { callText, question, serveScripted } from '../scripted.ts';

const TOPICS = ['weather', 'birds', 'chess', ...Array.from({ length: 30 }, (_, at) => `subject${at}`)];

/** More tools than the budget below. */
class ManyTools extends FakeHost {
  override tools(): readonly HostTool[] {
    return TOPICS.map(topic => ({
      definition: {
        type: 'function',
        function: {
          name: `find_${topic}`,
          description: `Finds ${topic} in the large book of ${topic}`,
          parameters: { type: 'object', properties: { value: { type: 'string' } } },
        },
      },
      server: 'one',
      tool: `find_${topic}`,
      readOnly: true,
    }));
  }
}

const textOf = (ids: ArrayLike<number> = []): string => String.fromCodePoint(...Array.from(ids));
const definitionsOf = (prompt: string, name: string): number => prompt.split(`\n${name}(`).length - 1;

test('--connect with more tools than the budget: a tool that a later prompt adds is called, and nothing is read again', async () => {
  let called = false;
  const prompts: string[] = [];
  const { url, engine } = await serveScripted(prompt => {
    prompts.push(prompt);
    if (!question(prompt).includes('chess') || called) return 'Here you are.';
    called = true;
    // As the template writes it.
    return '<tool_call>\n{"name": "find_chess", "arguments": {"value": "e4"}}\n</tool_call>';
  });
  const tools = new ManyTools({ find_chess: answer('Sicilian.') });
  const client = new ServedClient({ baseUrl: url });
  const agent = new Conversation({
    model: new ServedChatModel({ client, name: 'org/scripted', contextLength: 20_000, thinks: false }),
    tools,
    history: createHistory('Be brief.'),
    sampling: {},
    toolTimeoutMs: 1000,
    toolBudget: 700,
  });
  const replies: ReplyStats[] = [];
  for (const text of ['weather please', 'and now some chess', 'and birds?', 'thank you']) {
    const events = await collect(agent.turn(text));
    expect(events.filter(({ type }) => type === 'error')).toEqual([]);
    replies.push(...events.flatMap(event => (event.type === 'stats' ? [event.stats] : [])));
  }
  expect(tools.calls).toEqual([{ name: 'find_chess', args: { value: 'e4' } }]);
  expect(replies).toHaveLength(5);
  // What every later prompt reads is what stands behind the reply before it.
  replies.slice(1).forEach((stats, index) => {
    const [before, now] = [engine.requests[index], engine.requests[index + 1]];
    const known = (before?.promptIds.length ?? 0) + (replies[index]?.generatedTokens ?? 0);
    expect(stats.cachedTokens).toBeGreaterThanOrEqual(known - 1);
    expect(stats.promptTokens).toBe(now?.promptIds.length);
  });
  const head = (prompts.at(-1) as string).split('weather please', 1)[0] as string;
  expect(definitionsOf(head, 'find_weather')).toBe(1);
  expect(definitionsOf(head, 'find_chess')).toBe(0);
});

test.each([
  [
    '/v1/chat/completions',
    (tool: object) => ask('x', { tools: [{ type: 'function', function: tool, defer_loading: true }] }),
  ],
  [
    '/v1/responses',
    (tool: object) => ({ input: 'x', tools: [{ type: 'function', ...tool, defer_loading: true }] }),
  ],
])('%s: a tool with defer_loading may be called, but is not listed', async (path, body) => {
  const { url, engine } = await serveScripted(() => callText('hidden', {}));
  const sent = JSON.stringify(body({ name: 'hidden', parameters: { type: 'object', properties: {} } }));
  const response = await fetch(`${url}${path}`, { method: 'POST', body: sent });
  expect(await response.text()).toContain('"name":"hidden"');
  expect(textOf(engine.requests[0]?.promptIds)).not.toContain('hidden');
  expect(engine.requests).toHaveLength(1);
});

test('defer_loading that is no boolean is refused', async () => {
  const { url } = await serveScripted(() => 'x');
  const tool = { function: { name: 'a' }, defer_loading: 'yes' };
  const response = await chat(url, ask('x', { tools: [tool] }));
  expect(response.status).toBe(400);
  expect(await response.text()).toContain('defer_loading');
});
