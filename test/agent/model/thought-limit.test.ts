import { expect, it } from 'vitest';
import { ThoughtLimit } from '../../../src/agent/model/thought-limit.ts';
import type { EngineEvent } from '../../../src/engine/engine.ts';
import type { EngineJob, JobResult } from '../../../src/engine/engine-job.ts';

const MARKS = [{ opener: '<think>', closer: '</think>' }];
const CLOSED = '\n</think>\n\n';
const encode = (text: string) => Array.from(text, letter => letter.codePointAt(0) as number);
const TIMINGS = { firstTokenMs: 1, prefillMs: 1, decodeMs: 1 };

/** Says a text to each run, a letter a token, of which the first half of an astral letter has no text. */
function engineSaying(...texts: string[]) {
  const jobs: EngineJob[] = [];
  async function* events(job: EngineJob): AsyncGenerator<EngineEvent, JobResult> {
    jobs.push(job);
    const total = job.promptIds.length;
    yield { type: 'prefill', done: total, total, cached: 0 };
    let generatedTokens = 0;
    const end = (finishReason: JobResult['finishReason']) => ({
      finishReason,
      promptTokens: total,
      cachedTokens: 0,
      generatedTokens,
      timings: TIMINGS,
    });
    for (const letter of texts[jobs.length - 1] ?? '') {
      for (const text of letter.length > 1 ? ['', letter] : [letter]) {
        if (job.signal?.aborted) return end('cancelled');
        generatedTokens += 1;
        yield { type: 'token', token: { id: letter.codePointAt(0) as number, text } };
        if (generatedTokens === job.maxTokens) return end('length');
      }
    }
    return end('stop');
  }
  const info = { contextLength: 100, name: '', modelType: '', vocabSize: 0, parameters: 0 };
  const engine = { events, info: { ...info, weightBytes: 0, device: '', wantsCheckpoints: false } };
  return { engine, jobs };
}

async function run(
  texts: readonly string[],
  { budget, prompt = '', ...job }: { budget: number; prompt?: string } & Partial<EngineJob>,
) {
  const { engine, jobs } = engineSaying(...texts);
  const limit = new ThoughtLimit({ budget, marks: MARKS, prompt, encode });
  const events = limit.events(engine, { promptIds: [1, 2], ...job });
  let said = '';
  let prefills = 0;
  for (let step = await events.next(); ; step = await events.next()) {
    if (step.done) return { said, prefills, jobs, result: step.value, tokens: limit.tokens };
    if (step.value.type === 'token') said += step.value.token.text;
    else prefills += 1;
  }
}

it('closes a thought at its budget, and the next run goes on behind it', async () => {
  const { said, prefills, jobs, result, tokens } = await run(['<think>abcdef', 'So.'], {
    budget: 3,
    sharedTokens: 1,
    callStart: { token: 9, confidence: 0.5 },
  });
  expect(said).toBe(`<think>abc${CLOSED}So.`);
  expect(prefills).toBe(1);
  expect(jobs.map(job => job.sharedTokens)).toEqual([1, 0]);
  expect(jobs.map(job => job.callStart)).toEqual([{ token: 9, confidence: 0.5 }, undefined]);
  expect(jobs[1]?.promptIds).toHaveLength(2 + `<think>abc${CLOSED}`.length);
  expect(result).toMatchObject({ finishReason: 'stop', promptTokens: 2, generatedTokens: said.length });
  expect(tokens).toBe(3);
});

it.each([
  [
    'a budget of nothing closes what the prompt has opened',
    { budget: 0, prompt: 'x<think>\n' },
    ['So.'],
    `${CLOSED}So.`,
  ],
  [
    'thoughts that begin again are closed again',
    { budget: 1 },
    ['<think>ab', '<think>c', 'So.'],
    `<think>a${CLOSED}<think>${CLOSED}So.`,
  ],
  ['what is no thought is free', { budget: 1 }, ['abc <thin'], 'abc <thin'],
  ['never inside a character', { budget: 1 }, ['<think>😀b', 'So.'], `<think>😀${CLOSED}So.`],
  [
    'a model that ends within its thought goes on',
    { budget: 2 },
    ['<think>ab', 'So.'],
    `<think>ab${CLOSED}So.`,
  ],
])('%s', async (_, options, texts, wanted) => {
  // The first token of a thought may be spent before its mark is complete.
  expect((await run(texts, options)).said).toBe(wanted);
});

it('nothing goes on behind the end of the tokens, of the context, or of the caller', async () => {
  const short = await run(['<think>abcdef', 'So.'], { budget: 3, maxTokens: 12 });
  expect([short.result.finishReason, short.jobs.length]).toEqual(['length', 1]);
  const long = await run(['<think>abcdef', 'So.'], { budget: 3, promptIds: Array(85).fill(1) });
  expect([long.result.finishReason, long.jobs.length]).toEqual(['full', 1]);
  const gone = new AbortController();
  gone.abort();
  const left = await run(['<think>abcdef', 'So.'], { budget: 0, prompt: 'x', signal: gone.signal });
  expect([left.result.finishReason, left.said, left.jobs.length]).toEqual(['cancelled', '', 1]);
});

it('what closes a thought takes no more tokens than there are', async () => {
  for (const maxTokens of [1, 2, CLOSED.length]) {
    const { said, result, jobs } = await run(['ab', 'So.'], { budget: 0, prompt: 'x<think>\n', maxTokens });
    expect([said, jobs.length, jobs[0]?.maxTokens]).toEqual(['a', 1, maxTokens]);
    expect(result).toMatchObject({ finishReason: 'length', generatedTokens: 1 });
  }
  const enough = await run(['So.'], { budget: 0, prompt: 'x<think>\n', maxTokens: CLOSED.length + 1 });
  expect([enough.said, enough.result.generatedTokens]).toEqual([`${CLOSED}S`, CLOSED.length + 1]);
  const within = await run(['<think>abcdef', 'So.'], { budget: 3, maxTokens: 15 });
  expect(within.said).toBe('<think>abc');
  expect(within.result).toMatchObject({ finishReason: 'length', generatedTokens: 10 });
});
