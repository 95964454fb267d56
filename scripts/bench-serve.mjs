// Many clients at once against a server that speaks OpenAI's API:
//   node scripts/bench-serve.mjs http://127.0.0.1:8080 [--clients 1,8,32] [--seconds 60] [--model demo] [--pid 1234]
// Each client asks, reads the stream to its end and asks again. Prints a line of JSON for each number of clients: replies,
// 429s, other errors, time to first token and to the end (milliseconds, p50 and p99), and with --pid the server's memory.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    clients: { type: 'string', default: '1,8,32' },
    seconds: { type: 'string', default: '60' },
    model: { type: 'string', default: 'demo' },
    pid: { type: 'string' },
    tokens: { type: 'string', default: '24' },
  },
});
const [base] = positionals;
if (base === undefined) throw new Error('usage: node scripts/bench-serve.mjs <url> [options]');

const CITIES = ['Paris', 'Rome', 'Oslo', 'Lima', 'Cairo', 'Delhi', 'Quito', 'Tunis'];

/** One question to its last byte. @returns {Promise<{ status: number, firstMs?: number, totalMs: number }>} */
async function ask(index, count, signal) {
  const started = performance.now();
  const content = `Tell me about ${CITIES[(index + count) % CITIES.length]}, part ${count}.`;
  const response = await fetch(`${base}/v1/chat/completions`, {
    method: 'POST',
    signal,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: values.model,
      stream: true,
      temperature: 0,
      max_tokens: Number(values.tokens),
      user: `client-${index}`,
      messages: [{ role: 'user', content }],
    }),
  });
  if (!response.ok) {
    const wait = Number(response.headers.get('retry-after') ?? 1);
    await response.text();
    await new Promise(resolve => setTimeout(resolve, Math.min(wait, 5) * 1000));
    return { status: response.status, totalMs: performance.now() - started };
  }
  let firstMs;
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (firstMs === undefined && /"content": ?"[^"]/.test(text)) firstMs = performance.now() - started;
  }
  if (!text.includes('[DONE]')) throw new Error(`the stream broke off: ${text.slice(-200)}`);
  return { status: 200, firstMs, totalMs: performance.now() - started };
}

function residentMegabytes() {
  if (values.pid === undefined) return undefined;
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${values.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

function percentile(sorted, share) {
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}

async function measure(clients) {
  const end = performance.now() + Number(values.seconds) * 1000;
  const done = [];
  const errors = [];
  const before = residentMegabytes();
  const client = async index => {
    for (let count = 0; performance.now() < end; count += 1) {
      try {
        done.push(await ask(index, count));
      } catch (error) {
        errors.push(String(error.cause ?? error));
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  const replies = done.filter(one => one.status === 200);
  const sorted = pick =>
    replies
      .map(pick)
      .filter(Number.isFinite)
      .sort((a, b) => a - b);
  const [first, total] = [sorted(one => one.firstMs), sorted(one => one.totalMs)];
  return {
    clients,
    replies: replies.length,
    full429: done.filter(one => one.status === 429).length,
    otherErrors: errors.length + done.filter(one => one.status !== 200 && one.status !== 429).length,
    firstTokenMs: { p50: percentile(first, 0.5), p99: percentile(first, 0.99) },
    replyMs: { p50: percentile(total, 0.5), p99: percentile(total, 0.99) },
    ...(before !== undefined && { megabytes: { before, after: residentMegabytes() } }),
    ...(errors.length > 0 && { firstError: errors[0] }),
  };
}

await ask(0, 0); // what is slow the first time only
for (const clients of values.clients.split(',')) console.log(JSON.stringify(await measure(Number(clients))));
