import type { McpFile } from '../mcp/config/document.ts';
import type { ModelSource } from '../model/model-source.ts';
import type { Log } from './log.ts';
import type { OpenedModel, OpenModel, OpenModelOptions } from './open-model.ts';
import { prepareServers, type Questions } from './prepare-servers.ts';
import { type RunningServers, type StartServersOptions, startServers } from './start-servers.ts';

export interface RunOptions {
  readonly source: ModelSource;
  readonly openModel: OpenModel;
  readonly modelOptions: Omit<OpenModelOptions, 'cwd' | 'env'>;
  readonly mcpFiles: readonly McpFile[];
  /** Undefined: nobody can be asked, so servers that need consent do not start. */
  readonly questions?: Questions | undefined;
  readonly serverOptions: Omit<StartServersOptions, 'stateFolder' | 'log'>;
  readonly log: Log;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where trust, logins and the audit record are kept. */
  readonly stateFolder: string;
}

/** How long the end of the program waits for servers, which may be hostile: its exit kills what is left of them. */
export const EXIT_PATIENCE_MS = 1300;
/** Milliseconds that a prompt waits for a few servers that are nearly up; for many it does not. */
const GRACE_MS = 1500;
const FEW_SERVERS = 5;

type ModelHooks = Pick<
  OpenModelOptions,
  'onProgress' | 'onDownload' | 'onWait' | 'signal' | 'contextIsLimit'
>;

/** The parts every run has, whoever reads its turns: a model, and the MCP servers whose tools it calls. */
export interface Run {
  readonly opened: OpenedModel;
  readonly servers: RunningServers;
  readonly log: Log;
  /** For people: the model, and one line per server. */
  readonly summary: readonly string[];
  /** Facts the user should know, such as a base model or a broken server. */
  readonly notices: readonly string[];
  /** Opens another model next to the present one, on this machine, without the first one's adapters and quantizing. */
  openAnother(source: ModelSource, hooks: ModelHooks): Promise<OpenedModel>;
  /** Takes another model for its own and closes the one before. */
  use(opened: OpenedModel): Promise<void>;
  /** The system message as of now: `own`, then the instructions of the servers that are up. */
  systemText(own: string): string;
  /**
   * Closes servers and model. `beforeModel` runs first while the model is still open. With `patienceMs` it does not wait
   * longer than that for the servers: for a process that ends next, and kills what is left of them. Idempotent.
   */
  close(beforeModel?: () => Promise<void>, patienceMs?: number): Promise<void>;
}

/**
 * Reads the mcp files, then opens model and servers side by side; if one fails, the other is closed again. Questions about
 * the servers wait for the model: one that cannot be opened is the error to report first.
 */
export async function openModelAndServers(options: RunOptions): Promise<Run> {
  const { log, cwd, env, stateFolder } = options;
  let opening: Promise<OpenedModel> | undefined;
  const open = (): Promise<OpenedModel> => {
    opening ??= options.openModel(options.source, { ...options.modelOptions, cwd, env });
    return opening;
  };
  const questions = options.questions && afterwards(open, options.questions);
  const prepared = await settled(prepareServers(options.mcpFiles, { cwd, env, stateFolder, questions }));
  if (prepared.status === 'rejected') {
    await opening?.then(
      model => model.close(),
      () => undefined,
    );
    throw prepared.reason;
  }
  const [model, servers] = await Promise.allSettled([
    open(),
    startServers(prepared.value, { ...options.serverOptions, log, stateFolder }),
  ]);
  if (model.status === 'fulfilled' && servers.status === 'fulfilled') {
    if (options.serverOptions.joinLater) await grace(servers.value);
    return runOf(model.value, servers.value, options);
  }
  if (model.status === 'fulfilled') await model.value.close();
  if (servers.status === 'fulfilled') await servers.value.host.close();
  throw model.status === 'rejected' ? model.reason : (servers as PromiseRejectedResult).reason;
}

/** Resolves when the work is done, or after `ms`; undefined: however long it takes. */
async function within(work: Promise<void>, ms: number | undefined): Promise<void> {
  if (ms === undefined) return await work;
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>(resolve => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

async function grace({ host }: RunningServers): Promise<void> {
  const starting = host.servers().filter(({ state, installing }) => state === 'starting' && !installing);
  if (starting.length > FEW_SERVERS) return;
  await host.settled({ quietMs: GRACE_MS, limitMs: GRACE_MS, fromNow: true });
}

async function settled<T>(promise: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [result] = await Promise.allSettled([promise]);
  return result;
}

/** Asks the same questions once `ready` has resolved; each throws what it throws. */
function afterwards(ready: () => Promise<unknown>, { confirm, value }: Questions): Questions {
  return {
    confirm: async (document, launches) => {
      await ready();
      return await confirm(document, launches);
    },
    value: async input => {
      await ready();
      return await value(input);
    },
  };
}

function runOf(opened: OpenedModel, servers: RunningServers, options: RunOptions): Run {
  const { log, cwd, env } = options;
  // A server that was slow may have come up while the model was loading.
  const { summary, problems } = servers.report();
  let present = opened;
  let closed: Promise<void> | undefined;
  const close = async (beforeModel?: () => Promise<void>, patienceMs?: number) => {
    const closeModel = async () => {
      try {
        await beforeModel?.();
      } finally {
        await present.close();
      }
    };
    await Promise.all([within(servers.host.close(), patienceMs), closeModel()]);
  };
  return {
    opened,
    servers,
    log,
    summary: [opened.description, ...summary],
    notices: [...opened.notices, ...problems],
    openAnother: (source, hooks) => {
      const ofFirst = { adapter: undefined, quantize: undefined, saveQuantized: undefined };
      const alone = { ...options.modelOptions, ...ofFirst, draftModel: undefined, shared: undefined };
      return options.openModel(source, { ...alone, ...hooks, cwd, env });
    },
    use: async next => {
      const before = present;
      present = next;
      await before.close();
    },
    systemText: own => [own, ...servers.instructions()].filter(Boolean).join('\n\n'),
    close: (beforeModel, patienceMs) => {
      closed ??= close(beforeModel, patienceMs);
      return closed;
    },
  };
}
