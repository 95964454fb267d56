import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { RequestTurns } from '../../agent/requests/request-turns.ts';
import { LlmHostError, messageOf } from '../../errors.ts';
import { type CachedModel, cachedModels } from '../../hub/cached-models.ts';
import { copyModel } from '../../hub/copy-model.ts';
import { hubCacheFolder } from '../../hub/hub-environment.ts';
import { pullModel } from '../../hub/pull-model.ts';
import { removeModel } from '../../hub/remove-model.ts';
import { ensureModel } from '../../model/ensure-model.ts';
import { modelName } from '../../model/gguf/parts.ts';
import { hubIdOf, repoInCache } from '../../model/model-source.ts';
import type { OpenedModel, OpenModel } from '../../run/open-model.ts';
import { EXIT_PATIENCE_MS, type Run } from '../../run/open-model-and-servers.ts';
import { PendingApprovals } from '../../serve/http/approvals.ts';
import { GenerationQueue } from '../../serve/http/generation-queue.ts';
import { ServeMetrics } from '../../serve/http/metrics.ts';
import type { ModelStore } from '../../serve/http/model-store.ts';
import type { ServeContext } from '../../serve/http/serve-context.ts';
import type { OtherModel, ServedModel } from '../../serve/http/served-models.ts';
import { isSameModel } from '../../serve/models/model-names.ts';
import { ModelPool } from '../../serve/models/model-pool.ts';
import { readPage } from '../../serve/page/page-routes.ts';
import { createServer } from '../../serve/server.ts';
import { requireHubId } from '../options/at-revision.ts';
import type { HttpApiArguments } from '../options/option-table.ts';
import { systemText } from '../options/system-text.ts';
import type { AppConfig } from '../settings/config-file.ts';
import { configuredSource, givenSource, otherSource } from '../settings/model-source.ts';
import { loadServeSettings } from '../settings/settings.ts';
import { launch } from '../start/launch.ts';
import { modelNotices } from '../start/model-notices.ts';
import { agentOptions } from '../start/run-options.ts';
import { type HttpApiOptions, httpApiOptions } from './http-api-options.ts';

const LOOK_MS = 100;

/** In the package: made by scripts/build/page.mjs. */
const PAGE_FOLDER = fileURLToPath(new URL('../../web/', import.meta.url));

/** The running API. */
export interface HttpApi {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  readonly summary: readonly string[];
  readonly notices: readonly string[];
  /** The longest `close` waits for running requests. */
  readonly drainMs: number;
  /** Takes no more requests, waits for running ones, then aborts the rest and closes servers and model. Idempotent. */
  close(): Promise<void>;
}

/** Checks the options, opens model and servers, then listens. `fetchModel` downloads a source that is not here. */
export async function startHttpApi(
  args: HttpApiArguments,
  openModel: OpenModel,
  fetchModel: typeof ensureModel = ensureModel,
): Promise<HttpApi> {
  const options = httpApiOptions(args, process.env);
  const where = { cwd: process.cwd(), env: process.env };
  const given = givenSource(args, where);
  const settings = loadServeSettings(args, given?.kind === 'demo', where);
  const first = given ?? configuredSource(args, settings, where);
  const system =
    args.system === undefined ? settings.config.SystemPrompt : systemText(args.system, where.cwd);
  const run = await launch(args, first, settings, openModel, options.engine);
  const turnOptions = agentOptions(args, settings.config);
  const ofModel = modelNotices(run.opened, args.think, turnOptions.sampling);
  try {
    const loaded = (opened: OpenedModel, id = opened.name) => ({
      model: servedModel(opened, id),
      tokenizer: opened.tokenizer,
      embedder: opened.embedder,
      turns: new RequestTurns({
        model: opened.model,
        tools: run.servers.host,
        // A getter, read for each request: servers come and go.
        get systemMessage() {
          return run.systemText(system);
        },
        ...turnOptions,
      }),
    });
    const others = otherModels(options.models, where);
    const sourceOf = (id: string) => {
      const listed = others.list().find(one => one.id === id);
      // Not its id in its place: that would download what has been deleted meanwhile.
      if (!listed) throw new LlmHostError('MODEL_NOT_FOUND', `Model '${id}' no longer exists`);
      return otherSource(listed.source, first, {}, where.cwd);
    };
    const models = new ModelPool(
      loaded(run.opened),
      {
        list: () => others.list(),
        fetch: async (id, signal) => fetchModel(sourceOf(id), { ...where, signal }),
        open: async (id, onFits) => {
          const opened = await run.openAnother(sourceOf(id), { ...QUIETLY, onProgress: onFits });
          const notices = [...opened.notices, ...modelNotices(opened, args.think, turnOptions.sampling)];
          for (const notice of notices) run.log.logger.warn({ model: id }, notice);
          return { ...loaded(opened, id), close: () => opened.close() };
        },
      },
      {
        maxLoaded: options.maxOthers,
        firstHub: first.kind === 'hub' ? first.id : undefined,
        usedRepos: [first.text, ...besideFirst(args, settings.config)].flatMap(
          name => repoInCache(name, where) ?? [],
        ),
        onCloseFailed: (id, error) =>
          run.log.logger.error({ model: id, problem: messageOf(error) }, 'a model could not be closed'),
      },
    );
    const listening = await listen(options, run, models, () => others.readAgain());
    let closed: Promise<void> | undefined;
    return {
      url: listening.url,
      summary: run.summary,
      notices: [
        ...settings.warnings.map(warning => `Warning: ${warning}`),
        ...settings.notices.concat(run.notices, ofModel).map(notice => `Notice: ${notice}`),
      ],
      drainMs: options.drainMs,
      close: () => {
        closed ??= listening
          .close()
          .finally(() => models.close())
          .finally(() => run.close(undefined, EXIT_PATIENCE_MS));
        return closed;
      },
    };
  } catch (error) {
    await run.close();
    throw error;
  }
}

async function listen(options: HttpApiOptions, { log }: Run, models: ModelPool, onChange: () => void) {
  const stop = new AbortController();
  const context: ServeContext = {
    ...models.first,
    models,
    modelStore: options.manageModels ? cacheStore(process.env, onChange) : undefined,
    queue: new GenerationQueue(options.places, options.engine.parallel),
    metrics: new ServeMetrics(),
    access: options.access,
    approvals: new PendingApprovals(),
    page: options.page ? readPage(PAGE_FOLDER) : undefined,
    toolsPolicy: options.toolsPolicy,
    limits: options.limits,
    stopping: stop.signal,
    onRequest: record =>
      log.logger[record.status >= 500 && !record.aborted ? 'error' : 'info'](record, 'request'),
  };
  const app = createServer(context);
  const { host } = options.access;
  try {
    await app.listen({ host, port: options.port });
  } catch (error) {
    throw new LlmHostError('USAGE', `--port ${options.port} on ${host} cannot be used: ${messageOf(error)}`, {
      cause: error,
      hint: 'Choose another --port; 0 takes any that is free.',
    });
  }
  const { port } = app.server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    close: async () => {
      const closed = app.close();
      const limit = setTimeout(() => stop.abort(), options.drainMs);
      // Connections that never finish their request would keep it open.
      const look = setInterval(() => {
        if (context.metrics.active === 0) app.server.closeAllConnections();
      }, LOOK_MS);
      try {
        await closed;
      } finally {
        clearTimeout(limit);
        clearInterval(look);
      }
    },
  };
}

/** The models that the first one is loaded with. */
function besideFirst({ adapter = [], draftModel }: HttpApiArguments, config: AppConfig): readonly string[] {
  const draft = draftModel ?? config.draftModel;
  return draft === undefined ? adapter : [...adapter, draft];
}

/** Nobody watches. Models of one server share its `--context`. */
const QUIETLY = { onDownload: () => undefined, onWait: () => undefined, contextIsLimit: true };

function servedModel({ model, facts }: OpenedModel, id: string): ServedModel {
  const unknown = { family: 'unknown', parameters: 0, bytes: 0, quantization: undefined } as const;
  return {
    ...unknown,
    format: 'remote',
    template: '',
    thinks: false,
    ...facts,
    id,
    created: Math.floor(Date.now() / 1000),
    contextLength: model.contextLength,
  };
}

/** The cache of models, for clients of a server that may manage it. `onChange`: other models are there now. */
export function cacheStore(env: NodeJS.ProcessEnv, onChange: () => void): ModelStore {
  const repoOf = (name: string) => requireHubId(name, undefined).repo;
  return {
    pull: async (name, signal, onProgress) => {
      await pullModel(requireHubId(name, undefined), { env, signal, onProgress });
      onChange();
    },
    remove: async id => {
      await removeModel(requireHubId(id, undefined), { env, revisionOnly: false });
      onChange();
    },
    copy: async (id, name) => {
      if (name.includes('@')) throw new LlmHostError('USAGE', `'${name}': a name cannot have a revision`);
      await copyModel(repoOf(id), repoOf(name.includes('/') ? name : `local/${name}`), env);
      onChange();
    },
  };
}

/** Milliseconds after which the cache is read again. */
const FRESH_MS = 2000;

/** A model with what opens it. */
interface NamedModel extends OtherModel {
  readonly source: string;
}

interface OtherModelList {
  list(): readonly NamedModel[];
  /** The cache has changed. */
  readAgain(): void;
}

/** The models of `--models`: those named, and for `*` those that are complete in the cache at `main`. */
export function otherModels(
  names: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): OtherModelList {
  const named = names
    .filter(name => name !== '*')
    .map(
      (source): NamedModel => ({
        id: idOf(source, cwd),
        source,
        hub: hubIdOf(source, { cwd }),
        repo: repoInCache(source, { cwd, env }),
      }),
    )
    .filter((model, index, all) => all.findIndex(one => isSameModel(one, model)) === index);
  if (!names.includes('*')) return { list: () => named, readAgain: () => undefined };
  let cached: readonly NamedModel[] = [];
  let read = Number.NEGATIVE_INFINITY;
  return {
    list: () => {
      if (performance.now() - read > FRESH_MS) {
        cached = cachedModels(hubCacheFolder(env)).filter(isHere).map(described);
        read = performance.now();
      }
      return [...named, ...cached.filter(model => !named.some(one => isSameModel(one, model)))];
    },
    readAgain: () => {
      read = Number.NEGATIVE_INFINITY;
    },
  };
}

/** Clients need not know where a file is. */
function idOf(source: string, cwd: string): string {
  return hubIdOf(source, { cwd }) || source === 'demo' ? source : modelName(source);
}

/** At `main`, which its name stands for: opening another revision by it would download the model. */
function isHere({ revisions }: CachedModel): boolean {
  return revisions.some(({ refs, missing }) => refs.includes('main') && missing.length === 0);
}

function described({ repo, bytes, modifiedMs }: CachedModel): NamedModel {
  return { id: repo, source: repo, hub: { repo, revision: 'main' }, bytes, modifiedMs };
}
