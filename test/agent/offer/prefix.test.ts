import { expect, test } from 'vitest';
import { ASKED_WITHIN } from '../../../src/agent/context/write-summary.ts';
import type { TurnEvent } from '../../../src/agent/events/turn-event.ts';
import { LocalChatModel } from '../../../src/agent/model/local-model.ts';
import type { TurnOptions } from '../../../src/agent/turn/agent-options.ts';
import { Conversation } from '../../../src/agent/turn/conversation.ts';
import { probeTemplate } from '../../../src/chat/capability.ts';
import { createHistory } from '../../../src/chat/history.ts';
import { compileTemplate } from '../../../src/chat/template.ts';
import type { EngineEvent, GenerateResult } from '../../../src/engine/engine.ts';
import type { EngineJob } from '../../../src/engine/engine-job.ts';
import type { ToolHost } from '../../../src/mcp/tool-host.ts';
import { question, type Script, ScriptedEngine, tokenizer } from '../../serve/scripted.ts';
import { collect } from '../fakes.ts';
import { crowd, demoTemplate } from './crowd.ts';

/** What an engine has read of each prompt. A token is a character. */
interface Read {
  readonly prompt: string;
  readonly cached: number;
  readonly generated: number;
}

class WatchedEngine extends ScriptedEngine {
  readonly reads: Read[] = [];

  override async *events(request: EngineJob): AsyncGenerator<EngineEvent, GenerateResult> {
    const result = yield* super.events(request);
    const prompt = String.fromCodePoint(...Array.from(request.promptIds));
    this.reads.push({ prompt, cached: result.cachedTokens, generated: result.generatedTokens });
    return result;
  }
}

const tools = crowd();
const host: ToolHost = {
  tools: () => tools,
  servers: () => [],
  call: async name => ({ text: `${name} is done`, isError: false }),
  close: async () => undefined,
};

function conversation(script: Script, contextLength: number, options: Partial<TurnOptions>) {
  const engine = new WatchedEngine(script, contextLength);
  const compiled = compileTemplate(demoTemplate);
  const template = { compiled, source: demoTemplate, capability: probeTemplate(compiled) };
  const model = new LocalChatModel({ engine, tokenizer, template, now: new Date(0) });
  const history = createHistory('You are a helpful assistant.');
  const agent = new Conversation({
    model,
    tools: host,
    history,
    sampling: {},
    toolTimeoutMs: 1000,
    ...options,
  });
  return { engine, agent, model, history, ask: (text: string) => collect(agent.turn(text)) };
}

const CALL = (name: string, args: object) =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args }).replaceAll('":', '": ').replaceAll(',"', ', "')}\n</tool_call>`;

/** Twenty turns: small talk, questions for other services, and two searches by the model itself. */
const TURNS = [
  'Which issues are open in the GitHub repository acme/shop?',
  'Thank you. Which of them is the oldest?',
  'How is the weather in Oslo tomorrow?',
  'And what should I wear?',
  'Tell me a joke.',
  'search: convert a time between time zones',
  'That was it, thanks.',
  'Another joke, please.',
  'Take a screenshot of the page that is open in the browser.',
  'What do you see?',
  'Shorter, please.',
  'And in one word?',
  'search: read the rows of a database table',
  'Good.',
  'Who wrote Faust?',
  'When did he live?',
  'In which town?',
  'How far is that from Berlin?',
  'Thank you.',
  'Goodbye!',
];

test('20 turns with discovery: every prompt reads only what is new', async () => {
  const { engine, ask } = conversation(
    prompt => {
      const asked = question(prompt);
      const query = /search: ([^\n]+)$/.exec(asked)?.[1];
      return query === undefined
        ? `Here is what I say to ${asked.length} characters.`
        : CALL('search_tools', { query });
    },
    200_000,
    { toolBudget: 12_000 },
  );
  const events: TurnEvent[] = [];
  for (const text of TURNS) events.push(...(await ask(text)));
  const offers = events.filter(({ type }) => type === 'tools_offered');
  // The first choice, the other services, and what was searched for.
  expect(offers.length).toBeGreaterThanOrEqual(5);
  expect(engine.reads).toHaveLength(TURNS.length + 2);
  engine.reads.slice(1).forEach(({ prompt, cached }, index) => {
    const before = engine.reads[index] as Read;
    expect(prompt.slice(0, before.prompt.length), `prompt ${index + 2}`).toBe(before.prompt);
    expect(cached).toBeGreaterThanOrEqual(before.prompt.length + before.generated);
  });
});

test('a summary is asked for behind what the model has read, and what its tools are is not read again', async () => {
  const { engine, history, ask } = conversation(
    prompt => (prompt.includes(ASKED_WITHIN) ? 'We spoke of issues.' : `Yes. ${'It is so. '.repeat(60)}`),
    16_000,
    { toolBudget: 5000, overflow: 'summarize' },
  );
  while (history.summarized.length === 0)
    await ask(`Tell me more about the issues, branches and files. ${'Please. '.repeat(60)}`);
  const at = engine.reads.findIndex(({ prompt }) => prompt.includes(ASKED_WITHIN));
  const [before, summary, after] = engine.reads.slice(at - 1) as [Read, Read, Read];
  const head = before.prompt.indexOf('<|im_start|>user');
  expect(head).toBeGreaterThan(3000);
  // All but the instruction and the end of the last turn that it is about.
  const read = summary.prompt.length - summary.cached;
  expect(read).toBeLessThan(ASKED_WITHIN.length + 100);
  // Behind the tools stands one more now, by which what was summarized can be found.
  const tools = before.prompt.indexOf('<|im_end|>');
  const own = after.prompt.slice(tools, after.prompt.indexOf('<|im_end|>'));
  expect(after.prompt.slice(0, tools)).toBe(before.prompt.slice(0, tools));
  expect(own).toMatch(/^\nrecall\(about: string\)[^\n]*\n {2}about: [^\n]*$/);
  expect(after.cached).toBeGreaterThanOrEqual(tools);
  // As with the next prompts and the next summary.
  const summaries = () => engine.reads.filter(({ prompt }) => prompt.includes(ASKED_WITHIN));
  while (summaries().length < 2) await ask(`And more about them? ${'Please. '.repeat(60)}`);
  for (const one of engine.reads.slice(at + 2)) expect(one.cached).toBeGreaterThanOrEqual(head + own.length);
});
