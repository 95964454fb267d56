import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { TokenLogprob } from '../../agent/events/turn-event.ts';
import { badRequest } from '../http/api-error.ts';
import { type GivenTexts, isGivenTexts, readBody, textList } from '../http/body-fields.ts';
import { exchange } from '../http/exchange.ts';
import { leaseChatModel } from '../http/lease-model.ts';
import { EVENT_STREAM } from '../http/response-stream.ts';
import { readSampling } from '../http/sampling.ts';
import type { ServeContext } from '../http/serve-context.ts';
import { sumOfTotals, type WireFormat } from '../http/wire-format.ts';
import { errorBody, finishOf, sse, usageOf } from './chat-format.ts';
import { sharedFields } from './chat-request.ts';
import { newId, now } from './model-object.ts';

/** Texts of a request, in and out. */
const MAX_TEXTS = 128;

type Ids = readonly number[];

const completionBody = z.looseObject({
  ...sharedFields,
  prompt: z.custom<GivenTexts>(isGivenTexts),
  suffix: z.string().nullish(),
  echo: z.boolean().nullish(),
  best_of: z.number().int().nullish(),
  logprobs: z.number().int().min(0).max(20).nullish(),
});

/** /v1/completions: continues a text, or each of several, without template or tools. */
export function completionRoute(app: FastifyInstance, context: ServeContext): void {
  app.post('/v1/completions', async (request, reply) => {
    const body = readBody(completionBody, request.body);
    const { model, turns } = await leaseChatModel(context, request, reply, body.model, {
      streams: body.stream === true,
    });
    const each = body.n ?? 1;
    if (body.best_of != null && body.best_of !== each)
      throw badRequest('best_of: all texts are returned; it must be n', 'best_of');
    if (body.suffix) throw badRequest('suffix: this model cannot fill a gap', 'suffix');
    const prompts = promptsOf(body.prompt, each);
    for (const prompt of prompts) {
      if (typeof prompt === 'string') continue;
      checkIds(prompt, model.vocabSize);
      if (body.echo) throw badRequest('echo: give the prompt as a text', 'echo');
    }
    const sampling = readSampling(body, { api: 'openai', vocabSize: model.vocabSize });
    const format = completionFormat(model.id, {
      usage: body.stream_options?.include_usage === true,
      echo: body.echo ? prompts.flatMap(prompt => Array<string>(each).fill(String(prompt))) : [],
    });
    return exchange(context, request, reply, {
      format,
      stream: body.stream === true,
      verbatim: true,
      user: body.user ?? undefined,
      choices: prompts.length * each,
      run: (control, at) => {
        const prompt = prompts[Math.floor(at / each)] ?? '';
        const text = typeof prompt === 'string' ? { text: prompt } : { text: '', textIds: prompt };
        const asked = { sampling, logprobs: body.logprobs ?? undefined, choice: at % each };
        return turns.complete({ ...text, ...asked }, control);
      },
    });
  });
}

function promptsOf(given: GivenTexts, each: number): readonly (string | Ids)[] {
  const prompts = textList(given);
  if (prompts.length > MAX_TEXTS)
    throw badRequest(`prompt: ${prompts.length} texts; a request may have ${MAX_TEXTS}`, 'prompt');
  if (prompts.length * each > MAX_TEXTS)
    throw badRequest(`n: ${each} for each of ${prompts.length} texts; a request may have ${MAX_TEXTS}`, 'n');
  const empty = prompts.indexOf('');
  if (prompts.length === 0 || empty >= 0) {
    const which = prompts.length > 1 ? `prompt[${empty}]` : 'prompt';
    throw badRequest(`${which}: there is nothing to go on with`, 'prompt');
  }
  return prompts;
}

function checkIds(ids: readonly number[], vocabSize: number | undefined): void {
  if (vocabSize === undefined)
    throw badRequest('prompt: this model runs elsewhere and takes text only', 'prompt');
  const unknown = ids.find(id => id >= vocabSize);
  if (unknown !== undefined)
    throw badRequest(`prompt: the model has no token ${unknown}; its last is ${vocabSize - 1}`, 'prompt');
}

function completionFormat(
  model: string,
  { usage, echo }: { usage: boolean; echo: readonly string[] },
): WireFormat {
  const head = { id: newId('cmpl-'), object: 'text_completion', created: now(), model };
  const choice = (
    index: number,
    text: string,
    finish: string | null,
    logprobs?: readonly TokenLogprob[],
  ) => ({
    text,
    index,
    logprobs: logprobs?.length ? listed(logprobs) : null,
    finish_reason: finish,
  });
  let index = 0;
  const chunk = (...args: readonly [string, string | null, (readonly TokenLogprob[])?]) =>
    sse({ ...head, choices: [choice(index, ...args)] });
  const begin = () => (echo[index] ? chunk(echo[index] as string, null) : '');
  return {
    contentType: EVENT_STREAM,
    begin,
    text: (text, logprobs) => chunk(text, null, logprobs),
    thinking: () => '',
    toolEvent: () => '',
    keepAlive: note => `: ${note}\n\n`,
    next: (_calls, totals) => {
      const last = chunk('', finishOf(totals));
      index += 1;
      return last + begin();
    },
    end: (_calls, totals, sum) =>
      chunk('', finishOf(totals)) +
      (usage ? sse({ ...head, choices: [], usage: usageOf(sum) }) : '') +
      'data: [DONE]\n\n',
    error: error => sse(errorBody(error)),
    whole: replies => ({
      ...head,
      choices: replies.map(({ text, logprobs, totals }, at) =>
        choice(at, (echo[at] ?? '') + text, finishOf(totals), logprobs),
      ),
      usage: usageOf(sumOfTotals(replies)),
    }),
  };
}

/** OpenAI's older form of log-probabilities. */
function listed(logprobs: readonly TokenLogprob[]): object {
  return {
    tokens: logprobs.map(one => one.token),
    token_logprobs: logprobs.map(one => one.logprob),
    top_logprobs: logprobs.map(one => Object.fromEntries(one.top.map(each => [each.token, each.logprob]))),
  };
}
