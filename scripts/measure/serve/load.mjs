import { readFileSync } from 'node:fs';

const CITIES = ['Paris', 'Rome', 'Oslo', 'Lima', 'Cairo', 'Delhi', 'Quito', 'Tunis'];
const SYSTEM = { role: 'system', content: 'You are a helpful assistant.' };
const SETTLING_MS = 10_000;

/**
 * One completion as a stream: of the chat, or of the text `body.prompt`. `onPieces` is told how many pieces of text have
 * come each time some have.
 */
export async function streamed(url, body, { signal, onPieces = () => undefined } = {}) {
  const path = body.prompt === undefined ? 'chat/completions' : 'completions';
  const response = await fetch(`${url}/v1/${path}`, {
    method: 'POST',
    signal,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ stream: true, stream_options: { include_usage: true }, temperature: 0, ...body }),
  });
  if (!response.ok) {
    await response.text();
    return { status: response.status, retryAfter: Number(response.headers.get('retry-after') ?? 1) };
  }
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const pieces = chunk.match(/"(?:content|text)": ?"[^"]/g)?.length ?? 0;
    if (pieces > 0) onPieces(pieces);
  }
  if (!text.includes('[DONE]')) throw new Error(`the stream broke off: ${text.slice(-200)}`);
  const chunks = [...text.matchAll(/^data: (\{.*)$/gm)].map(match => JSON.parse(match[1]));
  return { status: 200, usage: chunks.findLast(chunk => chunk.usage)?.usage };
}

/**
 * Clients that send a prompt, read the stream to its end and repeat, each as a separate user.
 * @param {{ url: string, pid?: number }} server
 * @param {{ clients: number, seconds: number, tokens: number }} load
 */
export async function measureLoad({ url, pid }, { clients, seconds, tokens }) {
  const done = [];
  const errors = [];
  const started = performance.now();
  const end = started + 1000 * seconds;
  const memory = watchMemory(pid);
  const client = async index => {
    for (let count = 0; performance.now() < end; count += 1) {
      try {
        done.push(await ask(url, index, count, tokens));
      } catch (error) {
        errors.push(String(error.cause ?? error));
        if (errors.length > 1000) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  const replies = done.filter(one => one.status === 200);
  const figures = pick => percentiles(replies.map(pick));
  const ended = (performance.now() - started) / 1000;
  return {
    clients,
    seconds: Math.round(ended),
    replies: replies.length,
    full429: done.filter(one => one.status === 429).length,
    otherErrors: errors.length + done.filter(one => one.status !== 200 && one.status !== 429).length,
    firstTokenMs: figures(one => one.firstMs),
    betweenTokensMs: percentiles(replies.flatMap(one => one.gaps)),
    replyMs: figures(one => one.totalMs),
    tokensPerSecond: Math.round(replies.reduce((sum, one) => sum + one.tokens, 0) / ended),
    promptTokens: replies.at(-1)?.promptTokens,
    ...(memory && { megabytes: memory() }),
    ...(errors.length > 0 && { firstError: errors[0] }),
  };
}

async function ask(url, index, count, tokens) {
  const started = performance.now();
  let firstMs;
  let last;
  const gaps = [];
  const content = `Tell me about ${CITIES[(index + count) % CITIES.length]}, part ${count}.`;
  const { status, retryAfter, usage } = await streamed(
    url,
    { max_tokens: tokens, user: `client-${index}`, messages: [SYSTEM, { role: 'user', content }] },
    {
      onPieces: () => {
        const now = performance.now();
        if (last !== undefined) gaps.push(now - last);
        last = now;
        firstMs ??= now - started;
      },
    },
  );
  const totalMs = performance.now() - started;
  // A full queue: wait as requested, but not longer than the measurement allows.
  if (status !== 200) await new Promise(resolve => setTimeout(resolve, 1000 * Math.min(retryAfter ?? 1, 5)));
  return {
    status,
    firstMs,
    totalMs,
    gaps,
    tokens: usage?.completion_tokens,
    promptTokens: usage?.prompt_tokens,
  };
}

/** Resident megabytes, as they are now; after ten seconds, at the end, and the largest. Undefined without a pid. */
function watchMemory(pid) {
  if (pid === undefined) return undefined;
  const seen = [residentMegabytes(pid)];
  let settled;
  const timer = setInterval(() => seen.push(residentMegabytes(pid)), 250);
  const mark = setTimeout(() => {
    settled = residentMegabytes(pid);
  }, SETTLING_MS);
  return () => {
    clearInterval(timer);
    clearTimeout(mark);
    const end = residentMegabytes(pid);
    return { start: seen[0], after10s: settled, end, peak: Math.max(...seen, end) };
  };
}

function residentMegabytes(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

/** Percentiles of milliseconds, rounded. */
export function percentiles(values) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  const at = share => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { p50: at(0.5), p99: at(0.99) };
}
