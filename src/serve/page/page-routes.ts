import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Nothing but our own files, no inline script or style, no HTML from strings, no requests to other hosts, in no frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

/** Their names change with their contents. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

/** The answer of `/` to programs; Ollama's clients use it to see whether the server is up. */
const ALIVE = 'llm-host is running';

/** The chat page at `/`; without it, and for whoever does not ask for HTML, one line of text. */
export function pageRoutes(app: FastifyInstance, page: PageFiles | undefined): void {
  app.get('/', async (request, reply) => {
    reply.header('vary', 'accept, accept-encoding');
    const index = page?.get('/');
    if (!index || !wantsHtml(request.headers)) return reply.type('text/plain').send(ALIVE);
    return send(request, reply.headers(HEADERS).header('cache-control', 'no-cache'), index);
  });
  for (const [path, file] of page ?? []) {
    if (path === '/') continue;
    app.get(path, (request, reply) => {
      reply.headers(HEADERS).headers({ 'cache-control': FOR_GOOD, vary: 'accept-encoding' });
      return send(request, reply, file);
    });
  }
}

/** Whether a request is for the page or a part of it. They are the same for everyone and hold no secret: they need no key. */
export function isForPage({ method, url }: FastifyRequest, page: PageFiles | undefined): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  return page?.has(url.split('?', 1)[0] ?? '') === true;
}

/** Whether a browser opens it in a tab of its own, which a link on any site may do: no site sees what is in it. */
export function isNavigation(headers: IncomingHttpHeaders): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}

function wantsHtml({ accept = '' }: IncomingHttpHeaders): boolean {
  return /(^|,)\s*text\/html\b/i.test(accept);
}

async function send({ headers }: FastifyRequest, reply: FastifyReply, file: PageFile): Promise<FastifyReply> {
  reply.type(file.type);
  if (!/\bgzip\b/i.test(String(headers['accept-encoding'] ?? ''))) return reply.send(file.body);
  return reply.header('content-encoding', 'gzip').send(await file.gzipped());
}

/** A file of the page as it is sent. */
interface PageFile {
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
