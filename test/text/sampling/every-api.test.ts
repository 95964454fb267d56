import { describe, expect, test } from 'vitest';
import { chat } from '../../../src/cli/commands/chat.ts';
import { checkNumbers } from '../../../src/cli/options/check-options.ts';
import type { CommandContext } from '../../../src/cli/options/command.ts';
import { commandLine } from '../../../src/cli/options/command-line.ts';
import { parseConfig } from '../../../src/cli/settings/config-file.ts';
import type { EngineInfo } from '../../../src/engine/engine.ts';
import { toNativeRequest } from '../../../src/engine/native-request.ts';
import type { NativeRequest } from '../../../src/native/addon-types.ts';
import { apiNames } from '../../../src/text/sampling/api-names.ts';
import { SAMPLING_NAMES, type SamplingName, samplingField } from '../../../src/text/sampling/fields.ts';
import { request } from '../../native/tiny/native-request.ts';
import { run, withTinyModel } from '../../native/tiny/run-job.ts';
import { ask } from '../../serve/asking.ts';
import { serveScripted } from '../../serve/scripted.ts';
import { type Edge, edgesOf } from './edges.ts';

/** Resolves to the refusing message; undefined: the value was taken. */
type Give = (edge: Edge) => Promise<string | undefined>;

const EDGES = SAMPLING_NAMES.flatMap(edgesOf);

/** Edges that did not go as the table says: taken or refused by mistake, or refused under another name. */
async function surprises(
  give: Give,
  shown: (name: SamplingName) => string,
  edges = EDGES,
): Promise<string[]> {
  const found: string[] = [];
  for (const edge of edges) {
    const message = await give(edge);
    const told = `${edge.name} ${JSON.stringify(edge.value).slice(0, 40)}: ${message ?? 'taken'}`;
    if (edge.allowed ? message !== undefined : !message?.startsWith(shown(edge.name))) found.push(told);
  }
  return found;
}

const messageOf = async (act: () => unknown) => {
  try {
    await act();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

test('the library', async () => {
  const model = { vocabSize: 100, contextLength: 100 } as EngineInfo;
  const give: Give = ({ name, value }) =>
    messageOf(() => toNativeRequest({ promptIds: [1], [name]: value }, model, []));
  const ofEngine = EDGES.filter(({ name }) => name !== 'stop');
  expect(await surprises(give, name => name, ofEngine)).toEqual([]);
});

const chatThatChecks = {
  ...chat,
  run: (args: object) => {
    checkNumbers(args);
    return 0;
  },
};

test('the addon', async () => {
  const config = { max_position_embeddings: 8 };
  await withTinyModel({ config }, async model => {
    const give: Give = ({ name, value }) =>
      messageOf(() => run(model, request([1], nativeFields(name, value))));
    const ofAddon = EDGES.filter(
      ({ name, value }) => name !== 'stop' && (name !== 'logitBias' || isBias(value)),
    );
    expect(await surprises(give, name => `request.${name}`, ofAddon)).toEqual([]);
  });
});

/** A bias that a Float32Array can hold. */
const isBias = (value: unknown) => typeof (value as { 1?: unknown })[1] === 'number';

function nativeFields(name: SamplingName, value: unknown): Partial<NativeRequest> {
  if (name !== 'logitBias') return { [name]: value };
  return { logitBiasIds: Int32Array.of(1), logitBias: Float32Array.of((value as { 1: number })[1]) };
}

test('the command line', async () => {
  const give: Give = ({ name, value }) => {
    const flag = `--${samplingField(name).names.flag}`;
    const words = name === 'logitBias' ? biasWords(value) : [value].flat();
    const line = ['demo', ...words.map(word => `${flag}=${word}`)];
    return messageOf(() => commandLine(line, [chatThatChecks], {} as CommandContext));
  };
  // Every word is a text, and of a switch every text but `true` means false.
  const any: readonly SamplingName[] = ['stop', 'reproducible', 'lookup'];
  const edges = EDGES.filter(({ name, value, allowed }) => !any.includes(name) || allowed || isLong(value));
  expect(await surprises(give, name => `--${samplingField(name).names.flag}`, edges)).toEqual([]);
});

const isLong = (value: unknown) => Array.isArray(value) && value.length > 1;

function biasWords(value: unknown): string[] {
  if (typeof value !== 'object' || Array.isArray(value)) return [`not an object: ${value}`];
  return Object.entries(value as object).map(([id, bias]) => `${id}=${bias}`);
}

test('config.json', async () => {
  const give: Give = ({ name, value }) =>
    messageOf(() => parseConfig(JSON.stringify({ SystemPrompt: '', sampling: { [name]: value } }), '/x'));
  expect(await surprises(give, name => `x: the field 'sampling.${name}`)).toEqual([]);
});

describe('HTTP', () => {
  type Api = 'openai' | 'anthropic' | 'ollama';

  /** What an API takes beyond the table. */
  const more = (api: Api, { name, value }: Edge) =>
    (name === 'seed' && Number.isInteger(value)) ||
    (name === 'topP' && value === 0) ||
    (api === 'ollama' && name === 'maxTokens' && value === 0);

  const routes: readonly [Api, string, object, string?][] = [
    ['openai', '/v1/chat/completions', ask('?')],
    ['openai', '/v1/chat/completions', ask('?'), 'max_completion_tokens'],
    ['openai', '/v1/completions', { prompt: '?' }],
    ['openai', '/v1/responses', { input: '?' }],
    ['openai', '/v1/responses', { input: '?' }, 'max_output_tokens'],
    ['anthropic', '/v1/messages', { ...ask('?'), max_tokens: 5 }],
    ['ollama', '/api/chat', { ...ask('?'), model: 'scripted', stream: false }],
    ['ollama', '/api/generate', { prompt: '?', model: 'scripted', stream: false }],
    ['ollama', '/api/generate', { prompt: '?', model: 'scripted', stream: false, raw: true }],
  ];

  test.each(routes)('%s %s %j %s', async (api, path, body, limit) => {
    const { url } = await serveScripted(() => 'ok');
    const key = (name: SamplingName) =>
      (name === 'maxTokens' ? limit : undefined) ?? [...apiNames(api)].find(([, of]) => of === name)?.[0];
    const prefix = api === 'ollama' ? 'options.' : '';
    const give: Give = async ({ name, value }) => {
      const fields = { [key(name) as string]: value };
      const asked = { ...body, ...(api === 'ollama' ? { options: fields } : fields) };
      const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(asked) });
      const answer = (await response.json()) as { error?: string | { message: string; param: string } };
      if (response.status === 200) return undefined;
      expect(response.status).toBe(400);
      if (typeof answer.error === 'string') return answer.error;
      // Anthropic's errors name the field in their words.
      if (api !== 'anthropic') expect(answer.error?.param).toBe(key(name));
      return answer.error?.message;
    };
    const edges = EDGES.filter(({ name }) => key(name) !== undefined).map(edge =>
      more(api, edge) ? { ...edge, allowed: true } : edge,
    );
    expect(await surprises(give, name => `${prefix}${key(name)}`, edges)).toEqual([]);
  });

  test('a bias of a token beyond the vocabulary', async () => {
    const { url } = await serveScripted(() => 'ok');
    const body = JSON.stringify({ ...ask('?'), logit_bias: { 1114112: 1 } });
    const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: {
        param: 'logit_bias',
        message: 'logit_bias must have token ids from 0 to 1114111 as keys, got 1114112',
      },
    });
  });
});
