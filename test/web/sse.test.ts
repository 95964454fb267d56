import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readSse } from '../../web/api/sse.ts';

const STREAM =
  ': waiting, 2 ahead\n\ndata: {"a":"ä🙂"}\n\n: prefill 1/2\n\nevent: x\ndata: {"b":2}\n\ndata: [DONE]\n\n';

const bodyOf = (chunks: readonly Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });

async function collected<T>(from: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of from) all.push(one);
  return all;
}

it('is the same for any chunking, also within a character', async () => {
  const bytes = new TextEncoder().encode(STREAM);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: bytes.length })), async cuts => {
      const sorted = [0, ...cuts, bytes.length].sort((a, b) => a - b);
      const chunks = sorted.slice(1).map((end, index) => bytes.slice(sorted[index], end));
      const lines = await collected(readSse(bodyOf(chunks)));
      expect(lines).toEqual([
        { comment: 'waiting, 2 ahead' },
        { data: { a: 'ä🙂' } },
        { comment: 'prefill 1/2' },
        { data: { b: 2 } },
      ]);
    }),
  );
});

it.each(['', 'data: {"a":1}\n\n', 'data: {"a"', 'data: not JSON\n'])('%j is a failure', async text => {
  await expect(collected(readSse(bodyOf([new TextEncoder().encode(text)])))).rejects.toThrow();
});

it('whoever stops reading ends the request', async () => {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: controller => controller.enqueue(new TextEncoder().encode('data: {}\n')),
    cancel: () => {
      cancelled = true;
    },
  });
  for await (const line of readSse(body)) {
    expect(line).toEqual({ data: {} });
    break;
  }
  expect(cancelled).toBe(true);
});
