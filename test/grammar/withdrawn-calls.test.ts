import { describe, expect, test } from 'vitest';
import type { ToolDefinition } from '../../src/chat/message.ts';
import type { EngineEvent, GenerateResult, TokenEvent } from '../../src/engine/engine.ts';
import type { EngineJob } from '../../src/engine/engine-job.ts';
import { constrainedGeneration } from '../../src/grammar/constrained-generation.ts';
import { replyConstraint } from '../../src/grammar/reply-constraint.ts';
import { createToolParser } from '../../src/parse/create-tool-parser.ts';
import { hermes } from '../../src/parse/formats/json/hermes.ts';
import { byteGrammar } from './byte-grammar.ts';
import { ByteTokenizer, planned, type Sureness, type Wish, WishingEngine } from './wishing-engine.ts';

const properties = { city: { type: 'string' }, nights: { type: 'integer' }, pets: { type: 'boolean' } };
const TOOLS: readonly ToolDefinition[] = [
  {
    type: 'function',
    function: { name: 'book', parameters: { type: 'object', properties, required: ['city', 'nights'] } },
  },
];
const EXTRA = ['<tool_call>', '</tool_call>', '}}', ' 2', ' "'];
const tokenizer = new ByteTokenizer(EXTRA);
const shared = byteGrammar(EXTRA);
const START = tokenizer.encode('<tool_call>')[0] as number;
const LACKING = '<tool_call>\n{"name": "book", "arguments": {"city": "Bonn"}}\n</tool_call>';
const WHOLE = '<tool_call>\n{"name": "book", "arguments": {"city": "Bonn", "nights": 2}}\n</tool_call>';

/** Asked for the nights it says 2; kept from calling it asks. */
const wish: Wish = text => {
  const words = `${text.slice(0, Math.max(0, text.search(/[WS]/)))}Which nights?`;
  if (LACKING.startsWith(text)) return [...tokensOf(LACKING, text), 'W'];
  if (words.startsWith(text)) return [words.charAt(text.length)].filter(Boolean);
  if (/"nights": 2?$/.test(text)) return text.endsWith('2') ? ['}}'] : ['2'];
  return tokensOf(WHOLE, text);
};

function tokensOf(plan: string, text: string): string[] {
  if (!plan.startsWith(text)) return [];
  const rest = plan.slice(text.length);
  return [EXTRA.find(one => rest.startsWith(one)) ?? rest.charAt(0)].filter(Boolean);
}

interface Said {
  readonly text: string;
  readonly tokens: readonly TokenEvent[];
  readonly result: GenerateResult;
  readonly runs: readonly EngineJob[];
}

async function say(plan: Wish, sure: Sureness, request: Partial<EngineJob> = {}): Promise<Said> {
  const engine = new WishingEngine(tokenizer, plan, { sure });
  const newParser = () => createToolParser({ format: hermes, tools: TOOLS });
  const constraint = await replyConstraint({
    grammar: await shared,
    tokenizer,
    format: hermes,
    tools: TOOLS,
    newParser,
    constrainCalls: true,
    responseFormat: undefined,
  });
  const job = { promptIds: [1, 2], maxTokens: 300, callStart: { token: START, confidence: 0.6 }, ...request };
  const events = constrainedGeneration(engine, job, constraint);
  const tokens: TokenEvent[] = [];
  let step: IteratorResult<EngineEvent, GenerateResult>;
  for (step = await events.next(); !step.done; step = await events.next())
    if (step.value.type === 'token') tokens.push(step.value.token);
  const text = tokens.map(token => token.text).join('');
  expect(step.value.generatedTokens).toBe(tokens.length);
  return { text, tokens, result: step.value, runs: engine.requests };
}

/** How likely what follows `"nights":` is. */
const nights =
  (probability: number): Sureness =>
  text =>
    /"nights": ?$/.test(text) ? probability : 1;

describe('a call with a value that the model is not sure of', () => {
  test('is kept if the value is at least 0.6 times as likely as a call has to be', async () => {
    const { text, result } = await say(wish, nights(0.37));
    expect([text, result.finishReason]).toEqual([WHOLE, 'stop']);
  });

  test('is withdrawn if it is not: the reply is in words', async () => {
    const { text, tokens, result, runs } = await say(wish, nights(0.35));
    expect([text, result.finishReason]).toEqual(['Which nights?', 'stop']);
    // The last run goes on where the call began, and cannot begin it again.
    const last = runs.at(-1);
    expect(last?.promptIds).toHaveLength(2);
    const mask = last?.allowedFirst as Uint8Array;
    const barred = Array.from({ length: tokenizer.stop + 1 }, (_, id) => id).filter(
      id => (((mask[id >> 3] as number) >> (id & 7)) & 1) === 0,
    );
    expect(barred).toEqual([START]);
    // Log-probabilities are the program's own business here.
    expect(runs.every(({ logprobs }) => logprobs === 0)).toBe(true);
    expect(tokens.every(token => token.logprob === undefined)).toBe(true);
  });

  test('goes without the words before it, and the calls before it', async () => {
    for (const before of ['Sure. ', `${WHOLE}\n`]) {
      const plan: Wish = text =>
        before.startsWith(text) && text !== before ? tokensOf(before, text) : wish(text.slice(before.length));
      const sure: Sureness = text => nights(0.35)(text.slice(before.length));
      expect((await say(plan, sure)).text).toBe(`${before}Which nights?`);
    }
  });

  test.each<[string, Partial<EngineJob>]>([
    ['the call is asked for, so that nothing tells where one would begin', { callStart: undefined }],
    ['no confidence is asked for', { callStart: { token: START, confidence: 0 } }],
  ])('is kept where %s', async (_, request) => {
    const { text, runs } = await say(wish, nights(0.35), request);
    expect(text).toBe(WHOLE);
    expect(runs.every(({ logprobs }) => logprobs === undefined)).toBe(true);
  });

  test('the one that asked for log-probabilities gets them', async () => {
    const { tokens } = await say(wish, nights(0.37), { logprobs: 0 });
    expect(tokens.some(({ logprob }) => logprob !== undefined)).toBe(true);
  });

  test('is withdrawn whether the schema demanded the value or not', async () => {
    const plan: Wish = text => (WHOLE.startsWith(text) ? [...tokensOf(WHOLE, text), 'W'] : wish(text));
    expect((await say(plan, nights(0.35))).text).toBe('Which nights?');
    const { text, runs } = await say(planned(WHOLE), nights(0.37));
    expect([text, runs.length]).toEqual([WHOLE, 1]);
  });

  test('is withdrawn once a reply: a model that calls at all costs is held as before', async () => {
    const other = ` ${LACKING}`;
    const plan: Wish = text =>
      text.startsWith(' ') || text === ''
        ? [...tokensOf(LACKING, text), ...tokensOf(other, text), ...wish(text.slice(1))]
        : wish(text);
    const { text, result } = await say(plan, nights(0.35));
    expect([text, result.finishReason]).toEqual([` ${WHOLE}`, 'stop']);
  });

  test('a long call is shown as it grows, and stays', async () => {
    const long = LACKING.replace('Bonn', 'B'.repeat(300));
    const whole = long.replace('}}', ', "nights": 2}}');
    const plan: Wish = text => {
      if (long.startsWith(text)) return tokensOf(long, text);
      if (/"nights": 2?$/.test(text)) return text.endsWith('2') ? ['}}'] : ['2'];
      return tokensOf(whole, text);
    };
    expect((await say(plan, nights(0.35), { maxTokens: 600 })).text).toBe(whole);
  });

  test('tokens run out, and the reader aborts, in a call in doubt', async () => {
    const { result, text } = await say(wish, nights(0.37), { maxTokens: 40 });
    expect([result.finishReason, WHOLE.startsWith(text)]).toEqual(['length', true]);
    const abort = new AbortController();
    const plan: Wish = text => {
      if (text.endsWith('"nights":')) abort.abort();
      return wish(text);
    };
    expect((await say(plan, nights(0.35), { signal: abort.signal })).result.finishReason).toBe('cancelled');
  });
});
