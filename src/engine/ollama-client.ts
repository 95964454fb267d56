import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { LlmHostError, messageOf } from '../errors.ts';
import { isHttpAddress } from '../text/http-address.ts';
import { isPlainObject } from '../text/json/plain-object.ts';
import { LineSplitter } from '../text/line-splitter.ts';
import { IdleTimeout } from './idle-timeout.ts';

export interface OllamaClientOptions {
  /** `http://localhost:11434` */
  readonly baseUrl: string;
  /** Milliseconds of silence after which the server counts as gone. Loading a model is silent. */
  readonly timeoutMs: number;
}

type Json = Readonly<Record<string, unknown>>;

/** Bytes of an answer, or of one line of it. */
const MAX_LINE = 32 * 1024 * 1024;
const MAX_ERROR = 2000;

/** An Ollama server over HTTP. All failures are LlmHostErrors; an abort is thrown as it is. */
export class OllamaClient {
  readonly #options: OllamaClientOptions;

  /** @throws LlmHostError CONFIG for an invalid base URL. */
  constructor(options: OllamaClientOptions) {
    if (!isHttpAddress(options.baseUrl)) {
      throw new LlmHostError(
        'CONFIG',
        `The base url of Ollama must begin with http:// or https://, not '${options.baseUrl}'`,
      );
    }
    this.#options = { ...options, baseUrl: new URL(options.baseUrl).href.replace(/\/+$/, '') };
  }

  get baseUrl(): string {
    return this.#options.baseUrl;
  }

  /** Sends one JSON object and receives another; without a `body`: GET. */
  async json(path: string, body?: Json): Promise<Json> {
    const silence = new IdleTimeout(this.#options.timeoutMs);
    let begun = false;
    try {
      const answer = await this.#send(path, body, silence.signal);
      begun = true;
      const value: unknown = JSON.parse(await wholeText(answer, MAX_LINE));
      if (isPlainObject(value)) return value as Json;
      throw this.#strange(path);
    } catch (error) {
      throw this.#explained(error, silence, path, begun);
    } finally {
      silence.end();
    }
  }

  /** The objects of an NDJSON stream as they arrive. Leaving early ends the request. */
  async *stream(path: string, body: Json, signal: AbortSignal | undefined): AsyncGenerator<Json> {
    const silence = new IdleTimeout(this.#options.timeoutMs, signal);
    let begun = false;
    try {
      const answer = await this.#send(path, body, silence.signal);
      begun = true;
      const lines = new LineSplitter(MAX_LINE);
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        silence.heard();
        for (const line of lines.push(chunk)) {
          const value = this.#object(line.type === 'line' ? line.text : '{', path);
          if (value) yield value;
        }
      }
      // The last line may lack a line break.
      for (const line of lines.push(Buffer.from('\n'))) {
        const value = this.#object(line.type === 'line' ? line.text : '{', path);
        if (value) yield value;
      }
    } catch (error) {
      throw signal?.aborted ? error : this.#explained(error, silence, path, begun);
    } finally {
      silence.end();
    }
  }

  async #send(path: string, body: Json | undefined, signal: AbortSignal): Promise<IncomingMessage> {
    const answer = await requestWithoutTimeout(`${this.#options.baseUrl}${path}`, {
      body: body && JSON.stringify(body),
      signal,
    });
    const { statusCode: status } = answer;
    if (status >= 200 && status < 300) return answer;
    throw refusal(status, await wholeText(answer, MAX_LINE));
  }

  #object(line: string, path: string): Json | undefined {
    if (line.trim() === '') return undefined;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw this.#strange(path);
    }
    if (!isPlainObject(value)) throw this.#strange(path);
    const { error } = value as Json;
    if (error !== undefined) throw refusal(500, JSON.stringify({ error }));
    return value as Json;
  }

  #strange(path: string): LlmHostError {
    return new LlmHostError(
      'ENGINE',
      `${this.#options.baseUrl}${path} did not answer like an Ollama server`,
      {
        hint: 'Check --ollama-base-url.',
      },
    );
  }

  #explained(error: unknown, silence: IdleTimeout, path: string, begun: boolean): unknown {
    if (error instanceof LlmHostError) return error;
    const { baseUrl, timeoutMs } = this.#options;
    if (silence.timedOut) {
      return new LlmHostError(
        'ENGINE_UNAVAILABLE',
        `Ollama at ${baseUrl} did not respond for ${timeoutMs / 1000} s`,
        {
          hint: 'A large model may take longer to load: raise ollama.timeout (seconds) in config.json.',
        },
      );
    }
    if (error instanceof SyntaxError) return this.#strange(path);
    return (begun ? brokenOff : unreachable)(baseUrl, error);
  }
}

function brokenOff(baseUrl: string, error: unknown): LlmHostError {
  return new LlmHostError(
    'ENGINE_UNAVAILABLE',
    `Ollama at ${baseUrl} broke off in the middle of its answer`,
    {
      cause: error,
      hint: `${messageOf(error)}.\nIts own log may say why. When it is back, /retry asks again.`,
    },
  );
}

function unreachable(baseUrl: string, error: unknown): LlmHostError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return new LlmHostError('ENGINE_UNAVAILABLE', `Ollama is not reachable at ${baseUrl}`, {
    cause: error,
    hint: `${messageOf(cause) || 'No answer'}.\nStart it with \`ollama serve\`, or give its address: --ollama-base-url URL.`,
  });
}

/**
 * An error body in one of Ollama's forms, `{"error": "..."}` or `{"error": {"message": "..."}}`, or any other text.
 */
function refusal(status: number, body: string): LlmHostError {
  let said: unknown = body;
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    said = isPlainObject(error) ? (error as Json).message : error;
  } catch {
    // Not JSON: a proxy's page, or empty.
  }
  const message = typeof said === 'string' && said !== '' ? said.slice(0, MAX_ERROR) : `status ${status}`;
  const missing = /model ['"]?([^'"\s]+)['"]? not found/.exec(message)?.[1];
  if (missing !== undefined) {
    return new LlmHostError('MODEL_NOT_FOUND', `Model '${missing}' not found or not accessible`, {
      hint: `Ollama does not have it. Get it with: ollama pull ${missing}`,
    });
  }
  if (/does not support tools/.test(message)) {
    return new LlmHostError('MODEL_UNSUPPORTED', `Ollama: ${message}`, {
      hint: 'Choose a model that supports tools, or use --no-mcp.',
    });
  }
  const full = /(exceed|longer than).*context|context (length|window)/i.test(message);
  return new LlmHostError(full ? 'CONTEXT_FULL' : 'ENGINE', `Ollama: ${message}`);
}

interface RequestWithoutTimeout {
  /** JSON to post; undefined: GET. */
  readonly body?: string | undefined;
  /** The only limit. */
  readonly signal: AbortSignal;
}

/**
 * The answer to a request once its head is there; the caller reads or destroys it. Not fetch, which gives up after 300 s
 * without a word, however long its signal would wait. A redirect is an error: it leads to a server the user did not name.
 */
async function requestWithoutTimeout(
  address: string,
  { body, signal }: RequestWithoutTimeout,
): Promise<IncomingMessage & { readonly statusCode: number }> {
  const url = new URL(address);
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const options = { method: body === undefined ? 'GET' : 'POST', headers, signal };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = (url.protocol === 'https:' ? https : http).request(url, options, resolve);
    sent.on('error', reject);
    sent.end(body);
  });
  const { statusCode = 0 } = answer;
  if (statusCode < 300 || statusCode >= 400) return Object.assign(answer, { statusCode });
  answer.destroy();
  throw new Error(`it redirects (${statusCode})`);
}

/** All of an answer, as UTF-8. @throws Error beyond `maxBytes` */
async function wholeText(answer: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`an answer of more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
