import { setTimeout as sleep } from 'node:timers/promises';

const QUESTIONS = ['Name a color.', 'What is 17 + 25?', 'Say hello.', 'Where is Oslo?', 'Tell me a joke.'];
const KINDS = ['chat', 'chat', 'stream', 'stream', 'completion', 'completion stream', 'cancelled'];
const TOKENS = 16;
const ATTEMPTS = 30;
/** The answers that ask a client to come again. */
const COME_AGAIN = new Set(['no_room', 'queue_full', 'rate_limit_exceeded']);

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32). */
function randomOf(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Requests to all models in a random order, the same for the same seed.
 * @param {number} count
 * @param {{ chats: readonly string[], embedder: string, seed: number }} models
 * @returns {{ kind: string, model: string, text: string, cancelMs: number }[]}
 */
export function mixedRequests(count, { chats, embedder, seed }) {
  const random = randomOf(seed);
  const one = list => list[Math.floor(random() * list.length)];
  return Array.from({ length: count }, () => {
    const model = one([...chats, embedder]);
    const kind = model === embedder ? 'embedding' : one(KINDS);
    return { kind, model, text: one(QUESTIONS), cancelMs: Math.round(random() * 500) };
  });
}

/**
 * Sends a request, again as often as the server asks for that. Throws if it is lost or answered by another model.
 * @returns {Promise<{ text: string, ms: number, again: number, cancelled: boolean }>}
 */
export async function answered(url, request) {
  const started = performance.now();
  for (let again = 0; ; again += 1) {
    const found = await sent(url, request);
    if (found.text !== undefined) return { ...found, ms: performance.now() - started, again };
    if (again === ATTEMPTS) throw new Error(`${request.model} refused ${ATTEMPTS} times: ${found.code}`);
    await sleep(1000 * Math.min(found.retryAfter, 2));
  }
}

async function sent(url, { kind, model, text, cancelMs }) {
  const signal = kind === 'cancelled' ? AbortSignal.timeout(cancelMs) : undefined;
  const [path, body] = bodyOf(kind, text);
  try {
    const response = await fetch(`${url}/v1/${path}`, {
      method: 'POST',
      signal,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, ...body }),
    });
    const read = await response.text();
    if (response.ok) return { text: textOf(kind, model, read), cancelled: false };
    const { code, message } = JSON.parse(read).error;
    if (!COME_AGAIN.has(code)) throw new Error(`${response.status} ${code}: ${message}`);
    return { code, retryAfter: Number(response.headers.get('retry-after')) };
  } catch (error) {
    if (signal?.aborted) return { text: '', cancelled: true };
    throw error;
  }
}

/** `seed`: the same text whoever runs beside. */
function bodyOf(kind, text) {
  if (kind === 'embedding') return ['embeddings', { input: [text, `${text} Please.`] }];
  const stream = kind !== 'chat' && kind !== 'completion';
  const sampling = { stream, temperature: 0, seed: 1, max_tokens: TOKENS };
  if (kind.startsWith('completion')) return ['completions', { prompt: text, ...sampling }];
  return ['chat/completions', { messages: [{ role: 'user', content: text }], ...sampling }];
}

/** The text of a complete answer. */
function textOf(kind, asked, read) {
  // A stream may begin with comments.
  const streamed = !read.startsWith('{');
  if (streamed && !read.endsWith('data: [DONE]\n\n'))
    throw new Error(`a stream broke off: ${read.slice(-200)}`);
  const parts = streamed
    ? [...read.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json))
    : [JSON.parse(read)];
  for (const { model, error } of parts) {
    if (error) throw new Error(`${asked}: ${error.message}`);
    if (model !== asked) throw new Error(`${model} answered for ${asked}`);
  }
  if (kind === 'embedding') return vectorsText(parts[0]);
  const choices = parts.flatMap(part => part.choices);
  // A model may end at once.
  if (!choices.some(choice => choice.finish_reason))
    throw new Error(`${asked} did not end: ${read.slice(0, 300)}`);
  return choices.map(saidBy).join('');
}

const saidBy = ({ delta, message, text }) => {
  const { content, tool_calls: calls } = delta ?? message ?? {};
  return `${text ?? content ?? ''}${calls ? JSON.stringify(calls.map(call => call.function)) : ''}`;
};

function vectorsText({ data }) {
  for (const { embedding } of data) {
    const length = Math.hypot(...embedding);
    if (Math.abs(length - 1) > 1e-3) throw new Error(`a vector of the length ${length}`);
  }
  return JSON.stringify(data);
}
