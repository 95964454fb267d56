import { join } from 'node:path';
import { Agent, type AgentOptions } from '../../agent/agent.ts';
import { metricsFile } from '../../agent/calls/metrics-file.ts';
import { styleFile } from '../../agent/model/prompt-style-choice.ts';
import { createHistory } from '../../chat/history.ts';
import { LlmHostError } from '../../errors.ts';
import type { ResponseFormat } from '../../grammar/response-format.ts';
import { DownloadLine } from '../../line/download-line.ts';
import { ProgressLine } from '../../line/progress-line.ts';
import type { McpConfig } from '../../mcp/config/config.ts';
import { promptStyleNamed, promptStyleNames } from '../../parse/formats/prompt-style.ts';
import { rowsOfUser } from '../../parse/formats/user-format.ts';
import type { OpenedModel, OpenModel, OpenModelOptions } from '../../run/open-model.ts';
import {
  answerFormat,
  type ChatArguments,
  checkNumbers,
  mergeSampling,
  systemText,
  toolPolicy,
} from '../options/chat-options.ts';
import { divertWarnings } from '../process/divert-output.ts';
import { type Log, openLog } from '../process/log.ts';
import type { AppConfig } from '../settings/config-file.ts';
import { findFile, stateDirectory } from '../settings/lookup.ts';
import { modelSource, ollamaSettings } from '../settings/model-source.ts';
import { prepareServers } from '../settings/prepare-servers.ts';
import { loadSettings, type Settings } from '../settings/settings.ts';
import { terminalApprover } from './ask-approval.ts';
import { ChatSession } from './chat-session.ts';
import { SessionFolder } from './sessions.ts';
import { demoMcpFile, type RunningServers, type ServerOptions, startServers } from './start-servers.ts';
import { thinkingNotice } from './thinking-notice.ts';
import { TurnLog } from './turn-log.ts';

const DEFAULT_TOOL_TIMEOUT_SECONDS = 90;
/** After the last news of a server. */
const PATIENCE_MS = 1500;

/** A chat that is ready for its first prompt. */
export interface StartedChat {
  readonly session: ChatSession;
  readonly settings: Settings;
  /** For people: the model and the servers. */
  readonly summary: readonly string[];
  /** What the user should know: broken servers, unknown keys, a base model. */
  readonly notices: readonly string[];
  close(): Promise<void>;
}

/** Reads the configuration, then starts servers and model side by side. Refuses what cannot work before that. */
export async function startChat(args: ChatArguments, openModel: OpenModel): Promise<StartedChat> {
  checkNumbers(args);
  const where = { cwd: process.cwd(), env: process.env };
  // Without any config file that could name a model, the missing model is what the user has to hear of.
  const named = args.model !== undefined || args.config !== undefined || findFile('config.json', where).path;
  if (!named) throw new LlmHostError('USAGE', 'missing model');
  const settings = loadSettings(args, args.model === 'demo', where);
  const source = modelSource(args, settings.config);
  const system =
    args.system === undefined ? settings.config.SystemPrompt : systemText(args.system, where.cwd);
  const responseFormat = answerFormat(args, where.cwd);
  const folder = new SessionFolder(join(stateDirectory(where.env), 'sessions'));
  const resumed = args.resume === undefined ? undefined : resumePath(args.resume, folder);
  const log = openChatLog(args, settings);
  const config = await prepareServers(mcpFiles(args, settings), where);
  const { opened, servers } = await startBoth(source, args, settings, openModel, log, config);
  servers.host.setApprover(terminalApprover());
  const fullSystem = () => [system, ...servers.instructions()].filter(Boolean).join('\n\n');
  const history = createHistory(fullSystem());
  const agent = makeAgent(args, settings, opened, servers, history, responseFormat);
  const session = new ChatSession({
    ...{ agent, history, opened, folder, log, turnLog: new TurnLog(log, servers.redactor) },
    tools: servers.host,
    systemText: fullSystem,
    saveTo: args.save,
  });
  let closed: Promise<unknown> | undefined;
  const close = async () => {
    closed ??= Promise.all([servers.host.close(), session.close().then(() => opened.close())]);
    await closed;
  };
  const notices = [...opened.notices, ...servers.problems];
  if (args.think !== undefined) notices.push(...thinkingNotice(opened, args.think));
  try {
    if (responseFormat && !opened.model.canFollowFormat) {
      throw new LlmHostError('MODEL_UNSUPPORTED', `--schema: ${opened.name} cannot be held to one`);
    }
    if (resumed !== undefined) notices.push(...(await resume(session, resumed)));
  } catch (error) {
    await close();
    throw error;
  }
  const warnings = settings.warnings.map(warning => `Warning: ${warning}`);
  return {
    session,
    settings,
    summary: [opened.description, ...servers.summary],
    notices: [...warnings, ...notices.map(notice => `Notice: ${notice}`)],
    close,
  };
}

export function openChatLog(args: ChatArguments, { config }: Settings): Log {
  const log = openLog(
    args.logFile ?? config.logging?.file ?? join(stateDirectory(process.env), 'llm-host.log'),
    args.debug ? 'debug' : (args.logLevel ?? config.logging?.level ?? 'info'),
  );
  divertWarnings(text => log.logger.warn(text));
  return log;
}

function resumePath(option: string, folder: SessionFolder): string {
  if (option !== '') return option;
  const latest = folder.list()[0];
  if (!latest) throw new LlmHostError('USAGE', `--resume: no conversation is kept in ${folder.path} yet`);
  return latest.path;
}

async function resume(session: ChatSession, path: string): Promise<string[]> {
  const { messages } = session.load(path);
  const turns = messages.filter(message => message.role === 'user').length;
  const notice = `the conversation goes on after ${turns} ${turns === 1 ? 'turn' : 'turns'} from ${path}`;
  const cache = await session.restoreCache(path);
  return cache === undefined ? [notice] : [notice, cache];
}

/** Somebody at a keyboard need not wait for a server that hangs; a script gets all tools that there will be. */
function patience(args: ChatArguments): Pick<ServerOptions, 'patienceMs'> {
  return process.stdin.isTTY && args.prompt === undefined ? { patienceMs: PATIENCE_MS } : {};
}

/** Model and servers side by side. When one of the two fails, the other is closed again. */
export async function startBoth(
  source: string,
  args: ChatArguments,
  settings: Settings,
  openModel: OpenModel,
  log: Log,
  config: McpConfig,
  cacheBytes?: number,
) {
  const progress = new ProgressLine(process.stderr, 'Loading');
  const download = new DownloadLine(process.stderr, source);
  const [model, servers] = await Promise.allSettled([
    openModel(source, {
      contextLength: args.context ?? settings.config.context ?? 0,
      kvBits: args.kvBits,
      adapter: args.adapter,
      quantize: args.quantize,
      saveQuantized: args.saveQuantized,
      ollama: ollamaSettings(args, settings.config),
      cacheBytes,
      toolProtocol: settings.config.toolProtocol,
      promptStyle: promptStyleOf(settings.config),
      toolFormats: rowsOfUser(settings.config.toolFormats ?? []),
      onProgress: ({ doneBytes, totalBytes }) => progress.update(doneBytes, totalBytes),
      onDownload: state => download.update(state),
      onWait: pid => download.waiting(pid),
      cwd: process.cwd(),
      env: process.env,
    }),
    startServers(config, log, process.env, {
      ...patience(args),
      policy: toolPolicy(args, settings.config),
      audit: settings.config.tools?.audit,
    }),
  ]);
  download.end();
  progress.end();
  if (model.status === 'fulfilled' && servers.status === 'fulfilled') {
    return { opened: model.value, servers: servers.value };
  }
  if (model.status === 'fulfilled') await model.value.close();
  if (servers.status === 'fulfilled') await servers.value.host.close();
  throw model.status === 'rejected' ? model.reason : (servers as PromiseRejectedResult).reason;
}

/** The style that the user names; without one, all of them are tried and what works is kept in the state folder. */
function promptStyleOf({ promptStyle, promptStyles }: AppConfig): OpenModelOptions['promptStyle'] {
  if (promptStyle !== undefined) return promptStyleNamed(promptStyle, promptStyles);
  const styles = promptStyleNames(promptStyles).flatMap(name => {
    const style = promptStyleNamed(name, promptStyles);
    return style ? [[name, style] as const] : [];
  });
  const path = join(stateDirectory(process.env), 'prompt-styles.json');
  return { styles, memory: styleFile(path, message => process.stderr.write(`Notice: ${message}\n`)) };
}

function mcpFiles(args: ChatArguments, settings: Settings) {
  if (args.mcp === false) return [];
  return settings.mcpFiles ?? [demoMcpFile(process.env)];
}

function makeAgent(
  args: ChatArguments,
  { config }: Settings,
  opened: OpenedModel,
  servers: RunningServers,
  history: ReturnType<typeof createHistory>,
  responseFormat: ResponseFormat | undefined,
): Agent {
  return new Agent({
    ...{ model: opened.model, tools: servers.host, history },
    ...agentSettings(args, config),
    ...(responseFormat && { responseFormat }),
  });
}

/** What the configuration says about turns. */
export function agentSettings(
  args: ChatArguments,
  config: AppConfig,
): Pick<AgentOptions, 'sampling' | 'toolTimeoutMs' | 'maxResultChars' | 'retry' | 'constrain' | 'onAttempt'> {
  const seconds = args.toolTimeout ?? config.tools?.timeout ?? DEFAULT_TOOL_TIMEOUT_SECONDS;
  const { maxResultChars } = config.tools ?? {};
  return {
    sampling: mergeSampling(args, config),
    toolTimeoutMs: seconds * 1000,
    ...(maxResultChars !== undefined && { maxResultChars }),
    ...(config.retry && { retry: config.retry }),
    ...(config.tools?.constrain && { constrain: config.tools.constrain }),
    ...(config.tools?.metricsFile !== undefined && {
      onAttempt: metricsFile(config.tools.metricsFile, message =>
        process.stderr.write(`Notice: ${message}\n`),
      ),
    }),
  };
}
