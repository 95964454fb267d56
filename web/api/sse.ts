/** A line of a stream: a value, or what a comment says (`prefill 10/200`). */
export type StreamLine = { readonly data: unknown } | { readonly comment: string };

const END = '[DONE]';

/** Reads server-sent events up to their end mark. Throws an Error if the stream ends before it. */
export async function* readSse(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamLine> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) throw new Error('the stream ended early');
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line.startsWith(':')) yield { comment: line.slice(1).trim() };
        if (!line.startsWith('data:')) continue;
        const text = line.slice('data:'.length).trim();
        if (text === END) return;
        yield { data: JSON.parse(text) };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
