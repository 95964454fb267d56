import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { TokenLogprob } from '../../agent/events/turn-event.ts';
import { badRequest } from '../http/api-error.ts';
import { exchange } from '../http/exchange.ts';
import { readBody } from '../http/read-body.ts';
import { readSampling } from '../http/sampling.ts';
import type { ServeContext } from '../http/serve-context.ts';
import type { WireFormat } from '../http/wire-format.ts';
import { errorBody, sse, usageOf } from './chat-format.ts';
import { sharedFields } from './chat-request.ts';
import { CompletionChoices } from './completion-choices.ts';
import { checkModel, newId, now } from './model-object.ts';

/** Prompts of a request. */
const MAX_PROMPTS = 128;

type Ids = readonly number[];
type GivenPrompt = string | Ids | readonly string[] | readonly Ids[];

/** By hand: zod takes a second for a million ids, with every stream at rest. */
function isPrompt(value: unknown): value is GivenPrompt {
  if (typeof value === 'string' || isIds(value)) return true;
  return Array.isArray(value) && (value.every(one => typeof one === 'string') || value.every(isIds));
}

function isIds(value: unknown): value is Ids {
  return Array.isArray(value) && value.length > 0 && value.every(id => Number.isSafeInteger(id) && id >= 0);
}

const completionBody = z.looseObject({
  ...sharedFields,
  prompt: z.custom<GivenPrompt>(isPrompt),
  suffix: z.string().nullish(),
  echo: z.boolean().nullish(),
  best_of: z.number().int().nullish(),
  logprobs: z.number().int().min(0).max(20).nullish(),
});

/** /v1/completions: continues a text, or each of several, without template or tools. */
export function completionRoute(app: FastifyInstance, context: ServeContext): void {
  const { model, turns } = context;
  app.post('/v1/completions', async (request, reply) => {
    const body = readBody(completionBody, request.body);
    checkModel(context, body.model);
    for (const name of ['n', 'best_of'] as const) {
      if (body[name] != null && body[name] !== 1)
        throw badRequest(`${name}: only one text per prompt is supported`, name);
    }
    if (body.suffix) throw badRequest('suffix: this model cannot fill a gap', 'suffix');
    const prompts = promptsOf(body.prompt);
    for (const prompt of prompts) {
      if (typeof prompt === 'string') continue;
      checkIds(prompt, model.vocabSize);
      if (body.echo) throw badRequest('echo: give the prompt as a text', 'echo');
    }
    const sampling = readSampling(body, { api: 'openai', vocabSize: model.vocabSize });
    const choices = new CompletionChoices();
    const format = completionFormat(model.id, choices, {
      usage: body.stream_options?.include_usage === true,
      echo: body.echo ? prompts.map(String) : [],
    });
    return exchange(context, request, reply, {
      ...{ format, stream: body.stream === true, verbatim: true, user: body.user ?? undefined },
      run: control =>
        choices.run(
          prompts.map(prompt => () => {
            const text = typeof prompt === 'string' ? { text: prompt } : { text: '', textIds: prompt };
            return turns.complete({ ...text, sampling, logprobs: body.logprobs ?? undefined }, control);
          }),
        ),
    });
  });
}

/** A text or its tokens, alone or in a list. */
function promptsOf(given: GivenPrompt): readonly (string | Ids)[] {
  const prompts: readonly (string | Ids)[] = typeof given === 'string' || isIds(given) ? [given] : given;
  if (prompts.length > MAX_PROMPTS)
    throw badRequest(`prompt: ${prompts.length} texts; a request may have ${MAX_PROMPTS}`, 'prompt');
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
  choices: CompletionChoices,
  { usage, echo }: { usage: boolean; echo: readonly string[] },
): WireFormat {
  const head = { id: newId('cmpl-'), object: 'text_completion', created: now(), model };
  const choice = (
    index: number,
    text: string,
    finish: string | null,
    logprobs?: readonly TokenLogprob[],
  ) => ({
    ...{ text, index, logprobs: logprobs?.length ? listed(logprobs) : null, finish_reason: finish },
  });
  const chunk = (...args: Parameters<typeof choice>) => sse({ ...head, choices: [choice(...args)] });
  let streamed = -1;
  /** Ends the choices before the present one and begins it, as far as that has not been streamed. */
  const upToDate = (): string => {
    let pieces = '';
    for (const last = choices.all.length - 1; streamed < last; ) {
      if (streamed >= 0) pieces += chunk(streamed, '', choices.all[streamed]?.finish ?? 'stop');
      streamed += 1;
      if (echo[streamed]) pieces += chunk(streamed, echo[streamed] as string, null);
    }
    return pieces;
  };
  return {
    contentType: 'text/event-stream; charset=utf-8',
    begin: () => '',
    text: (text, logprobs) => upToDate() + chunk(streamed, text, null, logprobs),
    thinking: () => '',
    toolEvent: () => '',
    keepAlive: note => `: ${note}\n\n`,
    end: (_calls, totals) =>
      upToDate() +
      chunk(streamed, '', choices.all[streamed]?.finish ?? 'stop') +
      (usage ? sse({ ...head, choices: [], usage: usageOf(totals) }) : '') +
      'data: [DONE]\n\n',
    error: error => sse(errorBody(error)),
    whole: ({ totals }) => ({
      ...head,
      choices: choices.all.map(({ text, logprobs, finish }, index) =>
        choice(index, (echo[index] ?? '') + text, finish, logprobs),
      ),
      usage: usageOf(totals),
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
