import { join } from 'node:path';
import { DownloadLine } from '../../line/download-line.ts';
import { ProgressLine } from '../../line/progress-line.ts';
import { OLLAMA_PREFIX } from '../../run/ollama-source.ts';
import type { OpenModel, OpenModelOptions } from '../../run/open-model.ts';
import { openRun, type Run } from '../../run/open-run.ts';
import { SERVED_PREFIX } from '../../run/served-source.ts';
import type { ChatArguments } from '../options/chat-options.ts';
import { checkOllama } from '../options/ollama.ts';
import { configDirectory, type Place, stateDirectory } from '../process/folders.ts';
import { openRunLog } from '../process/program-log.ts';
import { terminalQuestions } from '../process/questions.ts';
import { CLIENT_INFO } from '../process/version.ts';
import { modelSource, withItsFile } from '../settings/model-source.ts';
import { refuseDownload } from '../settings/project-config.ts';
import type { Settings } from '../settings/settings.ts';
import { logOptions, mcpFilesOf, modelOptions } from './run-options.ts';
import { toolPolicy } from './tool-policy.ts';

/** Opens model and servers by command line and config.json, with progress and questions on stderr. */
export async function startRun(
  args: ChatArguments & { readonly models?: readonly string[] | undefined },
  settings: Settings,
  openModel: OpenModel,
  engine: Pick<OpenModelOptions, 'cacheBytes' | 'parallel' | 'maxGapMs'> = {},
): Promise<Run> {
  const { cwd, env } = { cwd: process.cwd(), env: process.env };
  const { config } = settings;
  const source = modelSource(args, config, settings.configPaths);
  checkOllama(source, args, (args.models ?? []).length > 0);
  checkProject(source, args, settings, { cwd, env });
  const log = openRunLog(logOptions(args, config), env);
  const loading = new ProgressLine(process.stderr, 'Loading');
  const download = new DownloadLine(process.stderr, source);
  try {
    return await openRun({
      source,
      openModel,
      log,
      cwd,
      env,
      stateFolder: stateDirectory(env),
      modelOptions: {
        ...modelOptions(args, config, env),
        ...engine,
        onProgress: ({ doneBytes, totalBytes }) => loading.update(doneBytes, totalBytes),
        onDownload: progress => download.update(progress),
        onWait: pid => download.waiting(pid),
        onDiskCache: note => log.logger.debug({ event: 'disk-cache' }, note),
      },
      mcpFiles: mcpFilesOf(args, settings, env),
      // They come when the model has been loaded, below its progress.
      questions: terminalQuestions(() => {
        download.end();
        loading.end();
      }),
      serverOptions: {
        clientInfo: CLIENT_INFO,
        policy: toolPolicy(args, config),
        allowedToolsFile: join(configDirectory(env), 'allowed-tools.json'),
        audit: config.tools?.audit,
        joinLater: joinLater(args),
      },
    });
  } catch (error) {
    throw args.model === undefined ? withItsFile(error, settings) : error;
  } finally {
    download.end();
    loading.end();
  }
}

/** Nothing is downloaded that the user has not named. */
function checkProject(
  source: string,
  args: ChatArguments,
  { config, projectConfig }: Settings,
  where: Place,
): void {
  const isLocal = ![OLLAMA_PREFIX, SERVED_PREFIX].some(prefix => source.startsWith(prefix));
  if (projectConfig === undefined || !isLocal) return;
  if (args.model === undefined) refuseDownload(projectConfig, 'model', source, where);
  if (args.draftModel === undefined && config.draftModel !== undefined)
    refuseDownload(projectConfig, 'draftModel', config.draftModel, where);
}

/** Somebody at a keyboard need not wait for servers before typing; a script gets every tool. */
function joinLater({ prompt }: ChatArguments): boolean {
  return process.stdin.isTTY && prompt === undefined;
}
