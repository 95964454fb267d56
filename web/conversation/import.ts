import { EXPORT_FORMAT, EXPORT_VERSION } from './export.ts';
import {
  type AssistantMessage,
  type CallPart,
  type ChatSettings,
  type Conversation,
  DEFAULT_SETTINGS,
  type Message,
  type Part,
  ROOT,
  type UserMessage,
} from './types.ts';

const MAX_CONVERSATIONS = 10_000;
const MAX_MESSAGES = 10_000;
const SAMPLING = [
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'repetition_penalty',
  'max_tokens',
  'seed',
] as const;

type Json = Readonly<Record<string, unknown>>;

/** Reads an exported file. Throws an Error in words for the user. Unknown fields are dropped, so that nothing else comes in. */
export function readExport(text: string): Conversation[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('This file is not JSON.');
  }
  const { format, version, conversations } = objectOf(value, 'the file');
  if (format !== EXPORT_FORMAT) throw new Error('This file was not exported by llm-host.');
  if (version !== EXPORT_VERSION) throw new Error('This file comes from another version of llm-host.');
  if (!Array.isArray(conversations) || conversations.length > MAX_CONVERSATIONS)
    throw new Error('This file holds no list of conversations, or too many.');
  return conversations.map(conversationOf);
}

function conversationOf(value: unknown): Conversation {
  const read = objectOf(value, 'a conversation');
  const messages = Object.values(objectOf(read.messages, 'messages')).map(messageOf);
  if (messages.length > MAX_MESSAGES) throw new Error('A conversation has too many messages.');
  const byId = new Map(messages.map(message => [message.id, message]));
  if (messages.some(({ parent }) => parent !== undefined && !byId.has(parent)))
    throw new Error('A message follows one that is not in the file.');
  const chosen = Object.entries(objectOf(read.chosen ?? {}, 'chosen')).filter(
    ([parent, id]) => (byId.get(String(id))?.parent ?? ROOT) === parent && byId.has(String(id)),
  );
  return {
    id: idOf(read.id),
    title: textOf(read.title, 'title').slice(0, 200),
    created: timeOf(read.created),
    updated: timeOf(read.updated),
    settings: settingsOf(objectOf(read.settings ?? {}, 'settings')),
    ...(read.titled !== undefined && { titled: timeOf(read.titled) }),
    ...(read.configured !== undefined && { configured: timeOf(read.configured) }),
    messages: Object.fromEntries(byId),
    chosen: Object.fromEntries(chosen.map(([parent, id]) => [parent, String(id)])),
  };
}

function messageOf(value: unknown): Message {
  const read = objectOf(value, 'a message');
  const head = {
    id: idOf(read.id),
    parent: read.parent === undefined ? undefined : idOf(read.parent),
    created: timeOf(read.created),
  };
  if (read.role === 'user') return { ...head, ...questionOf(read) };
  if (read.role === 'assistant') return { ...head, ...replyOf(read) };
  throw new Error('A message is neither a question nor a reply.');
}

function questionOf(read: Json): Pick<UserMessage, 'role' | 'text' | 'files'> {
  const files = listOf(read.files ?? [], 'files').map(one => {
    const { name, text } = objectOf(one, 'a file');
    return { name: textOf(name, 'name').slice(0, 200), text: textOf(text, 'text') };
  });
  return { role: 'user', text: textOf(read.text, 'text'), files };
}

function replyOf(read: Json): Omit<AssistantMessage, 'id' | 'parent' | 'created'> {
  const state = read.state;
  return {
    role: 'assistant',
    model: textOf(read.model, 'model').slice(0, 200),
    parts: listOf(read.parts, 'parts').map(partOf),
    state: state === 'done' || state === 'cut' || state === 'failed' ? state : 'stopped',
    revision: numberOf(read.revision) ?? 0,
    changed: timeOf(read.changed ?? 0),
    writer: '',
    ...(typeof read.error === 'string' && { error: read.error }),
    ...figuresOf(read),
  };
}

function figuresOf(read: Json): Pick<AssistantMessage, 'usage' | 'promptTokens' | 'writingMs'> {
  const counts = objectOf(read.usage ?? {}, 'usage');
  const usage = countsOf(counts, ['promptTokens', 'cachedTokens', 'replyTokens']);
  return { ...(usage && { usage }), ...countsOf(read, ['promptTokens']), ...countsOf(read, ['writingMs']) };
}

/** These numbers; undefined: not all are there. */
function countsOf<Name extends string>(
  read: Json,
  names: readonly Name[],
): Readonly<Record<Name, number>> | undefined {
  const counts = names.map(name => [name, numberOf(read[name])] as const);
  if (counts.some(([, count]) => count === undefined || count < 0)) return undefined;
  return Object.fromEntries(counts) as Record<Name, number>;
}

function partOf(value: unknown): Part {
  const read = objectOf(value, 'a part');
  const { type } = read;
  if (type === 'call') return callOf(read);
  if (type !== 'text' && type !== 'thinking' && type !== 'notice')
    throw new Error('A reply has a part of an unknown kind.');
  return { type, text: textOf(read.text, 'text') };
}

/** A question about a call has no answer any more. */
function callOf(read: Json): CallPart {
  const { state, result, server } = read;
  const seconds = numberOf(read.seconds);
  return {
    type: 'call',
    id: idOf(read.id),
    name: textOf(read.name, 'name'),
    arguments: objectOf(read.arguments, 'arguments'),
    state: state === 'done' || state === 'failed' || state === 'refused' ? state : 'ended',
    ...(typeof server === 'string' && { server: server.slice(0, 200) }),
    ...(typeof result === 'string' && { result }),
    ...(seconds !== undefined && { seconds }),
  };
}

function settingsOf(read: Json): ChatSettings {
  const sampling = objectOf(read.sampling ?? {}, 'sampling');
  const fields = SAMPLING.flatMap(name => {
    const value = numberOf(sampling[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...DEFAULT_SETTINGS,
    ...(typeof read.model === 'string' && { model: read.model }),
    ...(typeof read.system === 'string' && { system: read.system }),
    ...(typeof read.tools === 'boolean' && { tools: read.tools }),
    // A file does not decide that nobody is asked.
    ask: read.ask === 'all' ? 'all' : 'rules',
    ...(typeof read.thinking === 'boolean' && { thinking: read.thinking }),
    sampling: Object.fromEntries(fields),
  };
}

function objectOf(value: unknown, what: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw new Error(`In this file, ${what} is not as exported.`);
}

function listOf(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Error(`In this file, ${what} is not as exported.`);
}

function textOf(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  throw new Error(`In this file, ${what} is not a text.`);
}

/** Ids are keys of objects. */
function idOf(value: unknown): string {
  if (typeof value === 'string' && /^[\w-]{1,80}$/.test(value) && value !== '__proto__') return value;
  throw new Error('In this file, an id is not as exported.');
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function timeOf(value: unknown): number {
  const time = numberOf(value);
  if (time !== undefined && time >= 0 && time < 8.64e15) return time;
  throw new Error('In this file, a time is not as exported.');
}
