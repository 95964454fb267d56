import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fastify from 'fastify';
import { anthropicRoutes } from './anthropic/routes.ts';
import { apiOf, shapedError, streamedError } from './api-errors.ts';
import { embeddingRoutes } from './embeddings/routes.ts';
import { checkAccess, corsOrigin, namedKey } from './http/access/access.ts';
import { ApiError, noteProblem, ofThrown, problemOf, stopping } from './http/api-error.ts';
import { Clients, clientOf } from './http/clients.ts';
import { onceClosed } from './http/request-signal.ts';
import { EVENT_STREAM, endUnread, ResponseStream } from './http/response-stream.ts';
import type { ServeContext } from './http/serve-context.ts';
import { modelRoutes } from './model-routes.ts';
import { ollamaRoutes } from './ollama/routes.ts';
import { openaiRoutes } from './openai/routes.ts';
import { isForPage, isNavigation, pageRoutes } from './page/page-routes.ts';
import { answerParserError } from './parser-error.ts';
import { tokenRoutes } from './token-routes.ts';
import { approvalRoutes, toolRoutes } from './tool-routes.ts';

/** Clients whose base URL lacks `/v1`. */
const WITHOUT_VERSION =
  /^\/(chat\/completions|completions|embeddings|rerank|responses|messages|models|tokenize|detokenize)(?=[/?]|$)/;
const METHODS = 'GET, POST, DELETE, OPTIONS';
const HEADERS = [
  'authorization, content-type, x-api-key, x-llm-host-approval, x-llm-host-events, x-llm-host-tools',
  'anthropic-version, anthropic-beta, anthropic-dangerous-direct-browser-access',
].join(', ');

/** The HTTP server, not yet listening. */
export function createServer(context: ServeContext): FastifyInstance {
  const { limits } = context;
  // Each running request listens to it.
  setMaxListeners(0, context.stopping);
  const app = fastify({
    logger: false,
    bodyLimit: limits.maxBody,
    requestTimeout: limits.receiveMs,
    keepAliveTimeout: 30_000,
    // During shutdown, running turns end themselves and idle connections are closed at once.
    forceCloseConnections: 'idle',
    genReqId: () => randomUUID(),
    rewriteUrl: ({ url = '/' }) => (WITHOUT_VERSION.test(url) ? `/v1${url}` : url),
    clientErrorHandler: answerParserError,
    frameworkErrors: (error, request, reply) => {
      sendError(context, request, reply, error);
    },
    routerOptions: { ignoreTrailingSlash: true },
    http: {
      headersTimeout: limits.headMs,
      connectionsCheckingInterval: 1000,
      maxHeaderSize: 16 * 1024,
      // A missing Host is refused with the others that do not name this server.
      requireHostHeader: false,
    },
  });
  app.server.maxConnections = limits.maxConnections;
  // Node would drop those beyond 2,000, by which access is decided too; `maxHeaderSize` is the limit.
  app.server.maxHeadersCount = 0;
  app.addHook('onSend', async (_request, reply, payload) => {
    const { length } = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : '';
    endUnread(reply.raw, length, limits.receiveMs);
  });
  const clients = new Clients(context.access.keys);
  app.addHook('onRequest', async (request, reply) => admit(context, clients, request, reply));
  readAnythingAsJson(app);
  app.setErrorHandler((error, request, reply) => sendError(context, request, reply, error));
  app.setNotFoundHandler(request => {
    throw new ApiError(404, `There is no ${request.method} ${pathOf(request)} here`, { code: 'not_found' });
  });
  app.get('/health', () => ({ status: 'ok', model: context.model.id, waiting: context.queue.waiting }));
  app.get('/metrics', (_request, reply) => {
    reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8');
    return context.metrics.text(context.queue);
  });
  pageRoutes(app, context.page);
  modelRoutes(app, context);
  toolRoutes(app, context);
  approvalRoutes(app, context);
  tokenRoutes(app, context);
  embeddingRoutes(app, context);
  openaiRoutes(app, context);
  anthropicRoutes(app, context);
  ollamaRoutes(app, context);
  return app;
}

/** Everything decided by the head alone; also sets the headers of every response. */
async function admit(context: ServeContext, clients: Clients, request: FastifyRequest, reply: FastifyReply) {
  record(context, request, reply);
  reply.raw.setHeader('x-request-id', request.id);
  // By this one Anthropic's clients know it.
  if (apiOf(pathOf(request), request.headers) === 'anthropic') reply.raw.setHeader('request-id', request.id);
  reply.raw.setHeader('x-content-type-options', 'nosniff');
  const { headers } = request;
  // Node keeps the first; something in front of this server may have decided by the other.
  const hosts = request.raw.rawHeaders.filter((text, index) => index % 2 === 0 && /^host$/i.test(text));
  if (hosts.length > 1)
    throw new ApiError(400, 'The request has more than one Host header', { code: 'invalid_http' });
  const origin = corsOrigin(headers.origin, context.access);
  if (origin !== undefined) {
    reply.raw.setHeader('access-control-allow-origin', origin);
    reply.raw.setHeader('vary', 'origin');
  }
  const page = isForPage(request, context.page);
  const head = {
    host: headers.host,
    origin: headers.origin,
    secFetchSite: page && isNavigation(headers) ? 'none' : (headers['sec-fetch-site'] as string | undefined),
    authorization: headers.authorization,
    apiKeyHeader: headers['x-api-key'] as string | undefined,
  };
  const open = page || pathOf(request) === '/health' || request.method === 'OPTIONS';
  const refusal = checkAccess(head, context.access, open);
  if (refusal) {
    if (refusal.status === 401) reply.header('www-authenticate', 'Bearer');
    throw new ApiError(refusal.status, refusal.message, {
      code: refusal.status === 401 ? 'invalid_api_key' : 'forbidden',
    });
  }
  if (context.stopping.aborted) {
    throw stopping();
  }
  clients.admit(request, namedKey(head, context.access));
  if (request.method === 'OPTIONS') {
    // The origin may use the API, whatever headers its client adds.
    const asked = headers['access-control-request-headers'] ?? HEADERS;
    reply.header('access-control-allow-methods', METHODS).header('access-control-allow-headers', asked);
    await reply.code(204).send();
  }
}

/** Clients of Ollama send no content type, or a form; the parser decides what the body is. */
function readAnythingAsJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, ({ headers }, body, done) => {
    const encoding = headers['content-encoding'] ?? 'identity';
    if (!/^identity$/i.test(encoding)) {
      const message = `Bodies in the content encoding '${encoding}' cannot be read; send it uncompressed`;
      done(new ApiError(415, message, { code: 'unsupported_encoding' }));
      return;
    }
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(body as Buffer);
    } catch {
      done(new ApiError(400, 'The body is not valid UTF-8', { code: 'invalid_utf8' }));
      return;
    }
    try {
      done(null, text === '' ? {} : JSON.parse(text));
    } catch (error) {
      done(
        new ApiError(400, `The body is not valid JSON: ${(error as Error).message}`, {
          code: 'invalid_json',
        }),
      );
    }
  });
}

function sendError(context: ServeContext, request: FastifyRequest, reply: FastifyReply, thrown: unknown) {
  const error = ofThrown(thrown);
  noteProblem(request, error);
  const api = apiOf(pathOf(request), request.headers);
  if (reply.raw.headersSent) {
    // The stream has begun, since its model took long to load.
    const stream = new ResponseStream(reply.raw, EVENT_STREAM, context.limits);
    reply.hijack();
    stream.write(streamedError(api, error, request.id));
    stream.end();
    return undefined;
  }
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
  if (error.status === 503 || context.stopping.aborted) reply.header('connection', 'close');
  const { status, body } = shapedError(api, error, request.id);
  return reply.code(status).send(body);
}

/** Counts and logs a request once its response is sent or its client is gone. */
function record(context: ServeContext, request: FastifyRequest, reply: FastifyReply): void {
  const started = performance.now();
  context.metrics.active += 1;
  onceClosed(request, reply, () => {
    context.metrics.active -= 1;
    const ms = performance.now() - started;
    const status = reply.raw.statusCode;
    context.metrics.request(request.routeOptions.url ?? 'unknown', status, ms / 1000);
    context.onRequest({
      id: request.id,
      method: request.method,
      path: pathOf(request),
      status,
      ms: Math.round(ms),
      problem: problemOf(request),
      aborted: !reply.raw.writableFinished,
      key: clientOf(request).name || undefined,
    });
  });
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '';
}
