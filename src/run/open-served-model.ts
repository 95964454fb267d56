import { ServedChatModel } from '../agent/model/served-model.ts';
import { cleaned, ServedClient } from '../engine/served-client.ts';
import { LlmHostError } from '../errors.ts';
import type { ModelSource } from '../model/model-source.ts';
import { isPlainObject } from '../text/json/plain-object.ts';
import type { OpenedModel, OpenModelOptions } from './open-model.ts';

type ServedSource = Extract<ModelSource, { kind: 'served' }>;
type Json = Readonly<Record<string, unknown>>;

const MAX_NAME = 200;
/** Tokens. */
const MAX_CONTEXT = 100_000_000;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Opens a model of a running `llm-host serve`. */
export async function openServedModel(
  { name, url, apiKey }: ServedSource,
  { signal }: Pick<OpenModelOptions, 'signal'>,
): Promise<OpenedModel> {
  const server = { baseUrl: url, apiKey };
  const client = new ServedClient(server);
  const { data } = await client.get('/v1/models', signal);
  const first = modelOf(Array.isArray(data) ? data[0] : undefined);
  if (!first) throw client.strange();
  const model = name === '' ? first : await namedModel(client, name, signal);
  const { id, contextLength, thinks } = model;
  // Any other one is closed when nobody has used it for some time, and loaded again.
  const asked = id === first.id ? client : new ServedClient({ ...server, loads: true });
  return {
    model: new ServedChatModel({ client: asked, name: id, contextLength, thinks }),
    name: id,
    device: 'served',
    description: `${id} at ${client.baseUrl}, context ${contextLength}`,
    notices: openWire(url),
    close: () => Promise.resolve(),
  };
}

/** A server of several models loads those that are asked for: before, it does not say what they hold. */
async function namedModel(client: ServedClient, name: string, signal: AbortSignal | undefined) {
  const described = () => client.get(`/v1/models/${encodeURIComponent(name)}`, signal);
  const listed = await described();
  const known = modelOf(listed);
  if (known) return known;
  // One whose context is there and makes no sense is not waited for.
  if (!modelOf({ ...listed, context_length: listed.context_length ?? 1 })) throw client.strange();
  await client.load(name, signal);
  const loaded = modelOf(await described());
  if (loaded) return loaded;
  throw new LlmHostError(
    'ENGINE_UNAVAILABLE',
    `The server at ${client.baseUrl} has loaded '${name}' and closed it again`,
    {
      hint: 'Others may need its memory. Try again.',
    },
  );
}

/** Reads what `serve` says of a model; undefined: it is another program's. */
function modelOf(value: unknown) {
  const {
    id,
    owned_by: owner,
    context_length: context,
    thinking,
  } = (isPlainObject(value) ? value : {}) as Json;
  if (owner !== 'llm-host' || typeof id !== 'string' || id !== cleaned(id, MAX_NAME) || id === '')
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
