import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { TokenLogprob } from '../../agent/events/turn-event.ts';
import { badRequest } from '../http/api-error.ts';
import { exchange } from '../http/exchange.ts';
import { readBody } from '../http/read-body.ts';
import { readSampling } from '../http/sampling.ts';
import type { ServeContext } from '../http/serve-context.ts';
import type { WireFormat } from '../http/wire-format.ts';
import { errorBody, finishOf, sse, usageOf } from './chat-format.ts';
import { sharedFields } from './chat-request.ts';
import { checkModel, newId, now } from './model-object.ts';

const tokenIds = z.array(z.number().int().min(0)).min(1);

const completionBody = z.looseObject({
  ...sharedFields,
  prompt: z.union([z.string(), z.array(z.string()), tokenIds, z.array(tokenIds)]),
  suffix: z.string().nullish(),
  echo: z.boolean().nullish(),
  best_of: z.number().int().nullish(),
  logprobs: z.number().int().min(0).max(20).nullish(),
});

/** /v1/completions: continues a text, without template or tools. */
export function completionRoute(app: FastifyInstance, context: ServeContext): void {
  const { model, turns } = context;
  app.post('/v1/completions', async (request, reply) => {
    const body = readBody(completionBody, request.body);
    checkModel(context, body.model);
    for (const name of ['n', 'best_of'] as const) {
      if (body[name] != null && body[name] !== 1)
        throw badRequest(`${name}: only one text per request is supported`, name);
    }
    if (body.suffix) throw badRequest('suffix: this model cannot fill a gap', 'suffix');
    const prompt = onlyPrompt(body.prompt);
    const text = typeof prompt === 'string' ? prompt : '';
    const textIds = typeof prompt === 'string' ? undefined : prompt;
    if (textIds) checkIds(textIds, model.vocabSize);
    if (textIds && body.echo) throw badRequest('echo: give the prompt as a text', 'echo');
    const sampling = readSampling(body, { api: 'openai', vocabSize: model.vocabSize });
    const format = completionFormat(model.id, {
      usage: body.stream_options?.include_usage === true,
      echo: body.echo ? text : '',
    });
    return exchange(context, request, reply, {
      ...{ format, stream: body.stream === true, user: body.user ?? undefined },
      run: control =>
        turns.complete(
          { text, ...(textIds && { textIds }), sampling, logprobs: body.logprobs ?? undefined },
          control,
        ),
    });
  });
}

/** A text or its tokens, alone or as the only one of a list. */
function onlyPrompt(given: z.infer<typeof completionBody>['prompt']): string | readonly number[] {
  const isIds = (value: unknown): value is readonly number[] =>
    Array.isArray(value) && typeof value[0] === 'number';
  if (typeof given !== 'string' && !isIds(given) && given.length > 1)
    throw badRequest('prompt: only one text per request is supported; send one request each', 'prompt');
  const prompt = typeof given === 'string' || isIds(given) ? given : given[0];
  if (prompt === undefined || prompt === '')
    throw badRequest('prompt: there is nothing to go on with', 'prompt');
  return prompt;
}

function checkIds(ids: readonly number[], vocabSize: number | undefined): void {
  if (vocabSize === undefined)
    throw badRequest('prompt: this model runs elsewhere and takes text only', 'prompt');
  const unknown = ids.find(id => id >= vocabSize);
  if (unknown !== undefined)
    throw badRequest(`prompt: the model has no token ${unknown}; its last is ${vocabSize - 1}`, 'prompt');
}

function completionFormat(model: string, { usage, echo }: { usage: boolean; echo: string }): WireFormat {
  const head = { id: newId('cmpl-'), object: 'text_completion', created: now(), model };
  const choice = (text: string, finish: string | null, logprobs?: readonly TokenLogprob[]) => ({
    ...{ text, index: 0, logprobs: logprobs ? listed(logprobs) : null, finish_reason: finish },
  });
  const chunk = (...args: Parameters<typeof choice>) => sse({ ...head, choices: [choice(...args)] });
  return {
    contentType: 'text/event-stream; charset=utf-8',
    begin: () => (echo === '' ? '' : chunk(echo, null)),
    text: (text, logprobs) => chunk(text, null, logprobs),
    thinking: () => '',
    toolEvent: () => '',
    keepAlive: note => `: ${note}\n\n`,
    end: (_calls, totals) =>
      chunk('', finishOf(totals)) +
      (usage ? sse({ ...head, choices: [], usage: usageOf(totals) }) : '') +
      'data: [DONE]\n\n',
    error: error => sse(errorBody(error)),
    whole: reply => ({
      ...head,
      choices: [choice(echo + reply.text, finishOf(reply.totals), reply.logprobs)],
      usage: usageOf(reply.totals),
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
