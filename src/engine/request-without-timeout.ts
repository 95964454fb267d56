import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';

export interface RequestWithoutTimeout {
  /** JSON to post; undefined: GET. */
  readonly body?: string | undefined;
  /** The only limit. */
  readonly signal: AbortSignal;
}

/**
 * The answer to a request once its head is there; the caller reads or destroys it. Not fetch, which gives up after 300 s
 * without a word, however long its signal would wait. A redirect is an error: it leads to a server the user did not name.
 */
export async function requestWithoutTimeout(
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

/** All of an answer, as UTF-8. @throws Error beyond so many bytes */
export async function wholeText(answer: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`an answer of more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
