import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { ResponseStream } from '../../../src/serve/http/response-stream.ts';
import { DEFAULT_LIMITS } from '../../../src/serve/http/serve-context.ts';

it('a piece that is larger than what may be left unread reaches a client that reads', async () => {
  // Such as the end of a response with the log-probabilities of all its tokens.
  const piece = 'x'.repeat(3 * DEFAULT_LIMITS.maxUnread);
  const server = createServer((_, response) => {
    const stream = new ResponseStream(response, 'text/plain', DEFAULT_LIMITS);
    stream.write('a');
    stream.write(piece);
    stream.end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const text = await (await fetch(`http://127.0.0.1:${port}`)).text();
  expect(text.length).toBe(1 + piece.length);
});
