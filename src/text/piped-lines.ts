/** One prompt read from a pipe; `notice` reports problems with its bytes. */
export interface PipedLine {
  readonly text: string;
  readonly notice?: string;
}

/** Longest prompt read from a pipe, in bytes; a longer line is cut, with a notice. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

/**
 * Lines of a byte stream, decoded as UTF-8. Invalid bytes become U+FFFD with a notice, so one bad line
 * neither ends the run nor passes silently.
 */
export async function* pipedLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<PipedLine> {
  let pending: Buffer[] = [];
  let size = 0;
  let number = 0;
  const take = (): PipedLine => {
    const bytes = Buffer.concat(pending);
    const full = size;
    pending = [];
    size = 0;
    number += 1;
    return decodeLine(bytes, number, full);
  };
  for await (const chunk of input) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
      size = keep(pending, size, rest.subarray(0, at));
      rest = rest.subarray(at + 1);
      yield take();
    }
    size = keep(pending, size, rest);
  }
  if (size > 0) yield take();
}

function keep(pending: Buffer[], size: number, bytes: Buffer): number {
  if (size < MAX_LINE_BYTES) pending.push(Buffer.from(bytes.subarray(0, MAX_LINE_BYTES - size)));
  return size + bytes.length;
}

function decodeLine(bytes: Buffer, number: number, fullSize: number): PipedLine {
  // Programs on Windows begin a text with a byte order mark; in front of a request it would be no JSON.
  const decoded = bytes.toString('utf8');
  const text = (number === 1 ? decoded.replace(/^\uFEFF/, '') : decoded).replace(/\r$/, '');
  if (fullSize > bytes.length) {
    return {
      text,
      notice: `Line ${number} of the input is longer than ${MAX_LINE_BYTES} bytes and was cut.`,
    };
  }
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { text };
  } catch {
    return {
      text,
      notice: `Line ${number} of the input is not valid UTF-8; the invalid bytes were replaced by U+FFFD.`,
    };
  }
}

/** In a binary file nearly every line is invalid. */
const MAX_NOTICES = 3;

/** All of a piped input as one text; `onNotice` is told of the first invalid or cut lines, and how many more there are. */
export async function readAll(
  input: AsyncIterable<Uint8Array>,
  onNotice: (notice: string) => void,
): Promise<string> {
  const lines: string[] = [];
  let faulty = 0;
  for await (const line of pipedLines(input)) {
    lines.push(line.text);
    if (line.notice && ++faulty <= MAX_NOTICES) onNotice(line.notice);
  }
  const more = faulty - MAX_NOTICES;
  if (more > 0) onNotice(`${more} more lines of the input were cut or are not valid UTF-8.`);
  return lines.join('\n');
}
