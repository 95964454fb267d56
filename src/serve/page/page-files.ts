import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** A file of the page as it is sent. */
export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
  /** Its bytes compressed, made at the first request. */
  gzipped(): Promise<Buffer>;
}

/** The files of the page by path: `/`, `/page/index-1a2b.js`, ... */
export type PageFiles = ReadonlyMap<string, PageFile>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** The folder below the built page whose files' names contain their hash. */
const ASSETS = 'page';

const compress = promisify(gzip);

/** Reads the built page into memory; undefined: it has not been built. */
export function readPage(folder: string): PageFiles | undefined {
  try {
    const assets = readdirSync(join(folder, ASSETS)).map(name => `${ASSETS}/${name}`);
    const files = assets.map(name => [`/${name}`, fileOf(folder, name)] as const);
    return new Map([['/', fileOf(folder, 'index.html')], ...files]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function fileOf(folder: string, name: string): PageFile {
  const body = readFileSync(join(folder, name));
  let gzipped: Promise<Buffer> | undefined;
  return {
    type: TYPES[extname(name)] ?? 'application/octet-stream',
    body,
    gzipped: () => {
      gzipped ??= compress(body);
      return gzipped;
    },
  };
}
