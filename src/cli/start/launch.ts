import { join } from 'node:path';
import { DownloadLine, ProgressLine } from '../../line/progress-line.ts';
import { hubIdOf, type ModelSource } from '../../model/model-source.ts';
import type { OpenModel, OpenModelOptions } from '../../run/open-model.ts';
import { openModelAndServers, type Run } from '../../run/open-model-and-servers.ts';
import { checkHosts, checkOllama } from '../options/check-options.ts';
import type { ChatArguments, HttpApiArguments } from '../options/option-table.ts';
import { CLIENT_INFO, configDirectory, type Place, stateDirectory } from '../process/app.ts';
import { openRunLog } from '../process/program-log.ts';
import { terminalQuestions } from '../process/questions.ts';
import { withItsFile } from '../settings/model-source.ts';
import { refuseDownload } from '../settings/project-config.ts';
import type { Settings } from '../settings/settings.ts';
import { logOptions, mcpFilesOf, modelOptions, toolPolicy } from './run-options.ts';

/** Opens model and servers by command line and config.json, with progress and questions on stderr. */
export async function launch(
  args: HttpApiArguments,
  source: ModelSource,
  settings: Settings,
  openModel: OpenModel,
  engine: Pick<OpenModelOptions, 'cacheBytes' | 'parallel' | 'maxGapMs'> = {},
): Promise<Run> {
  const { cwd, env } = { cwd: process.cwd(), env: process.env };
  const { config } = settings;
  checkOllama(source, args, (args.models ?? []).length > 0);
  checkHosts({ ...args, draftModel: args.draftModel ?? config.draftModel });
  checkProject(source, args, settings, { cwd, env });
  const log = openRunLog(logOptions(args, config), env);
  const loading = new ProgressLine(process.stderr, 'Loading');
  const download = new DownloadLine(process.stderr, source.text);
  try {
    return await openModelAndServers({
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
  source: ModelSource,
  args: ChatArguments,
  { config, projectConfig }: Settings,
  { cwd, env }: Place,
): void {
  if (projectConfig === undefined || source.kind === 'ollama' || source.kind === 'served') return;
  if (args.model === undefined && source.kind === 'hub')
    refuseDownload(projectConfig, 'model', source.id, env);
  const draft =
    args.draftModel === undefined && config.draftModel !== undefined
      ? hubIdOf(config.draftModel, { cwd })
      : undefined;
  if (draft) refuseDownload(projectConfig, 'draftModel', draft, env);
}

/** Somebody at a keyboard need not wait for servers before typing; a script gets every tool. */
function joinLater({ prompt }: ChatArguments): boolean {
  return process.stdin.isTTY && prompt === undefined;
}
