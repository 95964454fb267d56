import { ServedChatModel } from '../agent/model/served-model.ts';
import { cleaned, ServedClient } from '../engine/served-client.ts';
import { LlmHostError } from '../errors.ts';
import { isPlainObject } from '../text/json/plain-object.ts';
import type { OpenedModel, OpenModelOptions } from './open-model.ts';

type Json = Readonly<Record<string, unknown>>;

/** As `serve` says. */
const OWNER = 'llm-host';
const MAX_NAME = 200;
/** Tokens. */
const MAX_CONTEXT = 100_000_000;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Opens a model of a running `llm-host serve`. `name` is without the prefix; '': whichever the server has. */
export async function openServedModel(
  name: string,
  { connect, signal }: OpenModelOptions,
): Promise<OpenedModel> {
  if (!connect)
    throw new LlmHostError('USAGE', 'a served model needs the address of its server: --connect URL');
  const client = new ServedClient({ ...connect, baseUrl: connect.url });
  const { data } = await client.get('/v1/models');
  const first = modelOf(Array.isArray(data) ? data[0] : undefined);
  if (!first) throw client.strange();
  const model = name === '' ? first : await namedModel(client, name, signal);
  if (!model) throw client.strange();
  const { id, contextLength, thinks } = model;
  return {
    model: new ServedChatModel({ client, name: id, contextLength, thinks }),
    name: id,
    device: 'served',
    description: `${id} at ${client.baseUrl}, context ${contextLength}`,
    notices: openWire(connect.url),
    close: () => Promise.resolve(),
  };
}

/** Of a model that is not loaded the server knows no context: a request for one token makes it load the model. */
async function namedModel(client: ServedClient, name: string, signal: AbortSignal | undefined) {
  const path = `/v1/models/${encodeURIComponent(name)}`;
  const said = await client.get(path);
  if (said.owned_by !== OWNER || said.context_length !== undefined) return modelOf(said);
  const question = { model: name, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1, stream: true };
  for await (const part of client.stream('/v1/chat/completions', question, signal)) void part;
  return modelOf(await client.get(path));
}

/** What `serve` says of a model; undefined: it is another program's. */
function modelOf(value: unknown) {
  const {
    id,
    owned_by: owner,
    context_length: context,
    thinking,
  } = (isPlainObject(value) ? value : {}) as Json;
  if (owner !== OWNER || typeof id !== 'string' || id !== cleaned(id, MAX_NAME) || id === '')
    return undefined;
  if (typeof context !== 'number' || !Number.isInteger(context) || context < 1 || context > MAX_CONTEXT)
    return undefined;
  return { id, contextLength: context, thinks: thinking === true };
}

function openWire(url: string): string[] {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || LOOPBACK.test(hostname)) return [];
  return [`what you say, and what your tools return, goes to ${hostname} unencrypted (http).`];
}
