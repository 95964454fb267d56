import { setMaxListeners } from 'node:events';
import { request } from 'node:http';
import { LlmHostError, messageOf } from '../../errors.ts';
import type { ClientsPoint } from './clients-report.ts';

export interface ClientsLoad {
  readonly clients: number;
  /** Requests of each client, one after another. */
  readonly requests: number;
  /** Tokens of a reply. */
  readonly generate: number;
  /** A prompt that no other request has. */
  readonly prompt: (client: number, request: number) => string;
}

/**
 * Clients that all send a request, read the reply to its end and repeat. @throws LlmHostError ENGINE if no request of
 * all was answered.
 */
export async function loadedBy(
  { clients, requests, generate, prompt }: ClientsLoad,
  { name, url }: { readonly name: string; readonly url: string },
  signal: AbortSignal,
): Promise<Omit<ClientsPoint, 'figures'> & { readonly figures: Omit<ClientsPoint['figures'], 'peakBytes'> }> {
  // Each request under way listens to it.
  setMaxListeners(0, signal);
  const replies: StreamedReply[] = [];
  let failure: string | undefined;
  const client = async (index: number): Promise<void> => {
    for (let request = 0; request < requests; request++) {
      const body = {
        prompt: prompt(index, request),
        max_tokens: generate,
        temperature: 0,
        user: `client-${index}`,
      };
      try {
        const reply = await streamedReply(url, body, signal);
        if (reply.status === 200) replies.push(reply);
        else failure = `it answers ${reply.status}`;
      } catch (error) {
        signal.throwIfAborted();
        failure = messageOf(error);
      }
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  const seconds = (performance.now() - started) / 1000;
  if (replies.length === 0) throw new LlmHostError('ENGINE', `${name} completed no request: ${failure}`);
  const sum = (count: (reply: StreamedReply) => number) => replies.reduce((all, one) => all + count(one), 0);
  return {
    clients,
    requests: clients * requests,
    failed: clients * requests - replies.length,
    seconds,
    promptTokens: sum(one => one.promptTokens) / replies.length,
    generatedTokens: sum(one => one.generatedTokens) / replies.length,
    figures: figuresOf(replies, sum(one => one.generatedTokens) / seconds),
  };
}

function figuresOf(replies: readonly StreamedReply[], tokensPerSecond: number): ClientsPoint['figures'] {
  const firsts = sorted(replies.flatMap(({ firstMs }) => (firstMs === undefined ? [] : [firstMs])));
  const gaps = sorted(replies.flatMap(one => one.gaps));
  return {
    tokensPerSecond,
    ...(firsts.length > 0 && { firstTokenP50Ms: within(firsts, 0.5), firstTokenP95Ms: within(firsts, 0.95) }),
    ...(gaps.length > 0 && {
      betweenTokensP50Ms: within(gaps, 0.5),
      betweenTokensP99Ms: within(gaps, 0.99),
      longestGapMs: within(gaps, 1),
    }),
  };
}

const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

/** The least value that `share` of `ascending`, which is not empty, do not exceed. */
export function within(ascending: readonly number[], share: number): number {
  return ascending[Math.max(0, Math.ceil(ascending.length * share) - 1)] as number;
}

/** A reply that was read as a stream. Times are milliseconds since the request was sent. */
interface StreamedReply {
  readonly status: number;
  /** Milliseconds until the first text; undefined if none came. */
  readonly firstMs: number | undefined;
  /** Between one piece of text and the next. */
  readonly gaps: readonly number[];
  readonly generatedTokens: number;
  readonly promptTokens: number;
}

interface Chunk {
  readonly choices?: readonly { readonly text?: string }[];
  readonly usage?: { readonly completion_tokens?: number; readonly prompt_tokens?: number } | null;
}

/**
 * Has a server complete `body.prompt` and reads the stream to its end. Rejects if the connection fails or the stream
 * breaks off; any other status than 200 is a result.
 */
export function streamedReply(url: string, body: object, signal: AbortSignal): Promise<StreamedReply> {
  const text = JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const started = performance.now();
    // Not fetch, whose streams take as much time as small models take to generate. Nor a kept connection, which some
    // servers close just when the next request is sent.
    const options = { method: 'POST', headers, signal, agent: false };
    const sent = request(`${url}/v1/completions`, options, response => {
      const reader = new StreamReader(started);
      response.setEncoding('utf8').on('data', (piece: string) => {
        try {
          reader.push(piece);
        } catch (error) {
          // A line that is no JSON is the server's fault, and one failed request.
          response.destroy(error as Error);
        }
      });
      response.on('error', reject);
      response.on('end', () => {
        const status = response.statusCode ?? 0;
        if (status === 200 && !reader.done) return reject(new Error('the stream broke off'));
        resolve(reader.reply(status));
      });
    });
    sent.on('error', reject).end(text);
  });
}

/** The events of one stream. */
class StreamReader {
  done = false;
  readonly #started: number;
  readonly #gaps: number[] = [];
  #rest = '';
  #firstMs: number | undefined;
  #last = 0;
  #pieces = 0;
  #usage: Chunk['usage'];

  constructor(started: number) {
    this.#started = started;
  }

  push(text: string): void {
    const now = performance.now();
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line, now);
  }

  #line(line: string, now: number): void {
    if (!line.startsWith('data:')) return;
    const data = line.slice('data:'.length).trim();
    if (data === '[DONE]') {
      this.done = true;
      return;
    }
    const { choices, usage } = JSON.parse(data) as Chunk;
    this.#usage = usage ?? this.#usage;
    if (!choices?.[0]?.text) return;
    if (this.#firstMs === undefined) this.#firstMs = now - this.#started;
    else this.#gaps.push(now - this.#last);
    this.#last = now;
    this.#pieces += 1;
  }

  reply(status: number): StreamedReply {
    return {
      status,
      firstMs: this.#firstMs,
      gaps: this.#gaps,
      generatedTokens: this.#usage?.completion_tokens ?? this.#pieces,
      promptTokens: this.#usage?.prompt_tokens ?? 0,
    };
  }
}
