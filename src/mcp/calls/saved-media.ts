import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../errors.ts';
import type { CallResult } from '../server/wire-schemas.ts';

const MAX_FILE_BYTES = 20 * 1024 * 1024;
const MAX_FILES = 200;
const MAX_TOTAL_BYTES = 200 * 1024 * 1024;

type Block = NonNullable<CallResult['content']>[number];

/** Where a block's data is; a symbol, which no server can send. */
const SAVED = Symbol('saved');

/** Recognises data by their first bytes, whatever the server calls them. */
const KINDS: readonly { readonly ending: string; readonly is: (data: Buffer) => boolean }[] = [
  { ending: 'png', is: data => data.subarray(0, 8).toString('latin1') === '\x89PNG\r\n\x1a\n' },
  { ending: 'jpg', is: data => data.subarray(0, 3).toString('latin1') === '\xff\xd8\xff' },
  { ending: 'gif', is: data => /^GIF8[79]a$/.test(data.toString('latin1', 0, 6)) },
  { ending: 'webp', is: data => riff(data) === 'WEBP' },
  { ending: 'wav', is: data => riff(data) === 'WAVE' },
  { ending: 'ogg', is: data => data.toString('latin1', 0, 4) === 'OggS' },
  { ending: 'flac', is: data => data.toString('latin1', 0, 4) === 'fLaC' },
  { ending: 'm4a', is: data => /^ftypM4A/.test(data.toString('latin1', 4, 11)) },
  { ending: 'mp3', is: data => /^ID3|^\xff[\xfb\xf3\xf2]/.test(data.toString('latin1', 0, 3)) },
];

/** The images and sounds of results, as files of this user in a folder of this run, which `close` removes. */
export class SavedMedia {
  readonly #onLog: (line: string) => void;
  #folder: string | undefined;
  #files = 0;
  #bytes = 0;
  #closed = false;

  constructor(onLog: (line: string) => void) {
    this.#onLog = onLog;
  }

  /** The result with its images and sounds saved, as far as they are of a known kind and within the limits. */
  save(result: CallResult): CallResult {
    if (!result.content?.some(block => dataOf(block) !== undefined)) return result;
    return { ...result, content: result.content.map(block => this.#saved(block)) };
  }

  close(): void {
    this.#closed = true;
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  #saved(block: Block): Block {
    const data = dataOf(block);
    if (data === undefined || data.length > (MAX_FILE_BYTES * 4) / 3 + 4) return block;
    const bytes = Buffer.from(data, 'base64');
    const kind = KINDS.find(({ is }) => is(bytes));
    const tooMuch = this.#files >= MAX_FILES || this.#bytes + bytes.length > MAX_TOTAL_BYTES;
    if (kind === undefined || tooMuch || this.#closed) return block;
    try {
      this.#folder ??= mkdtempSync(join(tmpdir(), 'llm-host-media-'));
      const path = join(this.#folder, `${++this.#files}.${kind.ending}`);
      writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' });
      this.#bytes += bytes.length;
      return { ...block, [SAVED]: path };
    } catch (error) {
      this.#onLog(`an image or sound cannot be saved: ${messageOf(error)}`);
      return block;
    }
  }
}

/** Where it is; undefined: it was not saved. */
export function savedPath(block: Block): string | undefined {
  const path = (block as { readonly [SAVED]?: unknown })[SAVED];
  return typeof path === 'string' ? path : undefined;
}

/** The data of a block that may be an image or a sound, also as a resource. */
function dataOf({ type, data, resource }: Block): string | undefined {
  const given =
    type === 'resource' ? (resource as { readonly blob?: unknown } | null | undefined)?.blob : data;
  const isMedia = type === 'image' || type === 'audio' || type === 'resource';
  return isMedia && typeof given === 'string' ? given : undefined;
}

function riff(data: Buffer): string | undefined {
  return data.toString('latin1', 0, 4) === 'RIFF' ? data.toString('latin1', 8, 12) : undefined;
}
