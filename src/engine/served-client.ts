import { LlmHostError, messageOf } from '../errors.ts';
import { stripControls } from '../text/clean/strip-controls.ts';
import { stripInvisible } from '../text/clean/strip-invisible.ts';
import { isPlainObject } from '../text/json/plain-object.ts';
import { LineSplitter } from '../text/line-splitter.ts';
import { IdleTimeout } from './idle-timeout.ts';

export interface ServedClientOptions {
  /** `http://127.0.0.1:8080`, without `/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** Milliseconds of silence after which the server counts as gone; a stream is kept alive every 10 s. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Whether the server may have to load the model before it answers, which is silent too. Default false. */
  readonly loads?: boolean | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** One line of a stream: an object, or what a comment says (`prefill 10/200`). */
export type StreamPart = { readonly data: Json } | { readonly comment: string };

const TIMEOUT_MS = 60_000;
/** While a model is loaded its server is silent; fetch itself gives up after 300 s. */
const LOAD_MS = 290_000;
/** Limits for what a stranger may send: a line, an answer, a whole stream; an error's text in UTF-16 units. */
const MAX_LINE = 4 * 1024 * 1024;
const MAX_ANSWER = 1024 * 1024;
const MAX_STREAM = 64 * 1024 * 1024;
const MAX_ERROR = 400;
const END = '[DONE]';
/**
 * Codes of problems that pass, or that whoever runs the server must fix. A stream that has begun has no status for it.
 */
const UNAVAILABLE: ReadonlySet<unknown> = new Set([
  'stopping',
  'queue_full',
  'no_room',
  'engine_unavailable',
  'out_of_memory',
]);

/**
 * `llm-host serve` over HTTP. It is a stranger: its errors are cleaned and cut, its answers have limits. All failures
 * are LlmHostErrors; an abort is thrown as it is.
 */
export class ServedClient {
  readonly baseUrl: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #headMs: number;

  constructor({ baseUrl, apiKey, timeoutMs = TIMEOUT_MS, loads = false }: ServedClientOptions) {
    this.baseUrl = baseUrl;
    this.#timeoutMs = timeoutMs;
    this.#headMs = loads ? LOAD_MS : timeoutMs;
    this.#headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  }

  /** Receives one JSON object. */
  async get(path: string, signal?: AbortSignal): Promise<Json> {
    return await this.#json(path, {}, new IdleTimeout(this.#timeoutMs, signal), signal);
  }

  /** Has the server load one of its models, which takes as long as it takes there. */
  async load(model: string, signal?: AbortSignal): Promise<void> {
    const init = { method: 'POST', body: JSON.stringify({ model, stream: false }) };
    await this.#json('/api/generate', init, new IdleTimeout(LOAD_MS, signal), signal);
  }

  /** Posts a body and yields what is streamed back until its end mark. Leaving early ends the request. */
  async *stream(path: string, body: Json, signal: AbortSignal | undefined): AsyncGenerator<StreamPart> {
    const silence = new IdleTimeout(this.#headMs, signal);
    let begun = false;
    try {
      const response = await this.#send(path, silence.signal, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', 'x-llm-host-tools': 'own' },
      });
      begun = true;
      silence.ms = this.#timeoutMs;
      silence.heard();
      const lines = new LineSplitter(MAX_LINE);
      let bytes = 0;
      for await (const chunk of response.body ?? []) {
        silence.heard();
        bytes += chunk.byteLength;
        if (bytes > MAX_STREAM) throw this.#tooMuch();
        for (const line of lines.push(Buffer.from(chunk))) {
          if (line.type === 'oversized') throw this.#tooMuch();
          const part = this.#part(line.text);
          if (part === END) return;
          if (part) yield part;
        }
      }
      throw this.#gone();
    } catch (error) {
      throw signal?.aborted ? error : this.#explained(error, silence, begun);
    } finally {
      silence.end();
    }
  }

  /** The error for a server that is not ours. */
  strange(): LlmHostError {
    return new LlmHostError('ENGINE_UNAVAILABLE', `${this.baseUrl} is not a server of llm-host`, {
      hint: 'Something else answers there. --connect takes the address that `llm-host serve` prints; for Ollama use --backend ollama.',
    });
  }

  async #json(
    path: string,
    init: RequestInit,
    silence: IdleTimeout,
    signal: AbortSignal | undefined,
  ): Promise<Json> {
    try {
      const response = await this.#send(path, silence.signal, init);
      const value: unknown = JSON.parse(await bodyText(response, MAX_ANSWER));
      if (isPlainObject(value)) return value as Json;
      throw this.strange();
    } catch (error) {
      throw signal?.aborted ? error : this.#explained(error, silence, false);
    } finally {
      silence.end();
    }
  }

  async #send(path: string, signal: AbortSignal, init: RequestInit): Promise<Response> {
    const response = await fetch(`${this.baseUrl}${path}`, {
      ...init,
      signal,
      headers: { ...this.#headers, ...init.headers },
      // A redirect leads to a server that the user did not name, and the key with it.
      redirect: 'error',
    });
    if (!response.ok) throw this.#refusal(path, response, await bodyText(response, MAX_ANSWER));
    return response;
  }

  #part(line: string): StreamPart | typeof END | undefined {
    if (line.startsWith(':')) return { comment: line.slice(1).trim() };
    if (!line.startsWith('data:')) return undefined;
    const text = line.slice('data:'.length).trim();
    if (text === END) return END;
    const value: unknown = JSON.parse(text);
    if (!isPlainObject(value)) throw this.strange();
    const { error } = value as Json;
    if (error !== undefined) throw this.#refusalOf(error, 500, undefined);
    return { data: value as Json };
  }

  #refusal(path: string, response: Response, body: string): LlmHostError {
    let error: unknown;
    try {
      ({ error } = JSON.parse(body) as { error?: unknown });
      // On Ollama's routes it is a text.
      if (path.startsWith('/api/') && typeof error === 'string') error = { message: error };
    } catch {
      // A proxy's page, or empty.
    }
    return this.#refusalOf(error, response.status, response.headers.get('retry-after') ?? undefined);
  }

  /** @param error OpenAI's error object, as far as it is one */
  #refusalOf(error: unknown, status: number, retryAfter: string | undefined): LlmHostError {
    const { message, code } = (isPlainObject(error) ? error : {}) as Json;
    const said = typeof message === 'string' && message !== '' ? cleaned(message, MAX_ERROR) : undefined;
    const where = `The server at ${this.baseUrl}`;
    if (status === 401 || status === 403) {
      return new LlmHostError('ENGINE_UNAVAILABLE', `${where} refuses: ${said ?? `status ${status}`}`, {
        hint:
          status === 401
            ? 'Give its key: --api-key KEY, --api-key @FILE, or the environment variable LLM_HOST_API_KEY.'
            : 'It accepts only other host names: see its --allow-host.',
      });
    }
    // The limit of a key, though places are free: the answer says when to try again.
    if (code === 'rate_limit_exceeded' && said !== undefined)
      return new LlmHostError('ENGINE_UNAVAILABLE', `${where} refuses: ${said}`);
    if (status === 429) {
      const seconds = /^\d{1,5}$/.test(retryAfter ?? '') ? `in ${retryAfter} s` : 'in a moment';
      return new LlmHostError('ENGINE_UNAVAILABLE', `${where} is busy: all places are taken`, {
        hint: `Try again ${seconds}.`,
      });
    }
    if (code === 'context_length_exceeded')
      return new LlmHostError('CONTEXT_FULL', said ?? 'The context is full');
    if (code === 'model_not_found') return new LlmHostError('MODEL_NOT_FOUND', said ?? 'The model is gone');
    // Ours always says why.
    if (said === undefined) return this.strange();
    const unavailable = status === 503 || UNAVAILABLE.has(code);
    return new LlmHostError(unavailable ? 'ENGINE_UNAVAILABLE' : 'ENGINE', `${where}: ${said}`);
  }

  #gone(cause?: unknown): LlmHostError {
    return new LlmHostError(
      'ENGINE_UNAVAILABLE',
      `The server at ${this.baseUrl} disconnected during the reply`,
      {
        cause,
        hint: 'When it is back, /retry asks again.',
      },
    );
  }

  #tooMuch(): LlmHostError {
    return new LlmHostError('ENGINE', `The server at ${this.baseUrl} sent more than any reply can hold`);
  }

  #explained(error: unknown, silence: IdleTimeout, begun: boolean): unknown {
    if (error instanceof LlmHostError) return error;
    if (silence.timedOut) {
      const seconds = silence.ms / 1000;
      return new LlmHostError(
        'ENGINE_UNAVAILABLE',
        `The server at ${this.baseUrl} did not respond for ${seconds} s`,
        {
          hint: 'It may be stopped or unreachable; nothing was changed.',
        },
      );
    }
    if (error instanceof SyntaxError) return this.strange();
    if (begun) return this.#gone(error);
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const why = cleaned(messageOf(cause), MAX_ERROR) || 'no answer';
    return new LlmHostError('ENGINE_UNAVAILABLE', `No server can be reached at ${this.baseUrl}`, {
      cause: error,
      hint: `${why}.\nStart it there with \`llm-host serve MODEL\`, or check the address.`,
    });
  }
}

/** A server's text on one line: without escapes and what people cannot see, cut at `limit`. */
export function cleaned(text: string, limit: number): string {
  const clean = stripInvisible(stripControls(text.slice(0, 2 * limit).replace(/\s+/g, ' '))).trim();
  return clean.length <= limit ? clean : `${clean.slice(0, limit)} ...`.toWellFormed();
}

/** At most `limit` bytes; more is cut, which no answer of ours needs. */
async function bodyText(response: Response, limit: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= limit) break;
  }
  return Buffer.concat(chunks).subarray(0, limit).toString('utf8');
}
