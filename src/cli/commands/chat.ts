import { join } from 'node:path';
import { Agent } from '../../agent/agent.ts';
import { createHistory } from '../../chat/history.ts';
import { LlmHostError } from '../../errors.ts';
import { ProgressLine } from '../../line/progress-line.ts';
import type { McpConfig } from '../../mcp/config.ts';
import { answerOnce } from '../answer-once.ts';
import { type ChatArguments, checkNumbers, mergeSampling, systemText } from '../chat-options.ts';
import { LineSession } from '../line-session.ts';
import { type Log, openLog } from '../log.ts';
import { findFile, stateDirectory } from '../lookup.ts';
import type { OpenedModel, OpenModel } from '../open-model.ts';
import { prepareServers } from '../prepare-servers.ts';
import { loadSettings, type Settings } from '../settings.ts';
import type { Signals } from '../signals.ts';
import { demoMcpFile, type RunningServers, startServers } from '../start-servers.ts';

const DEFAULT_TOOL_TIMEOUT_SECONDS = 90;

/** `llm-host <model>`: start-up, then a chat on stdin and stdout, or one prompt. Returns the exit code. */
export async function chat(args: ChatArguments, openModel: OpenModel, signals: Signals): Promise<number> {
  checkNumbers(args);
  const where = { cwd: process.cwd(), env: process.env };
  const demo = args.model === 'demo';
  // Without any config file that could name a model, the missing model is what the user has to hear of.
  const named = args.model !== undefined || args.config !== undefined || findFile('config.json', where).path;
  if (!named) throw new LlmHostError('USAGE', 'missing model');
  const settings = loadSettings(args, demo, where);
  const source = args.model ?? settings.config.model;
  if (source === undefined) throw new LlmHostError('USAGE', 'missing model');
  const system =
    args.system === undefined ? settings.config.SystemPrompt : systemText(args.system, where.cwd);
  const log = openLog(
    args.logFile ?? settings.config.logging?.file ?? join(stateDirectory(where.env), 'llm-host.log'),
    args.logLevel ?? settings.config.logging?.level ?? 'info',
  );
  for (const warning of settings.warnings) process.stderr.write(`Warning: ${warning}\n`);
  const config = await prepareServers(mcpFiles(args, settings), where);
  const { opened, servers } = await start(source, args, settings, openModel, log, config);
  const close = async () => {
    await Promise.all([servers.host.close(), opened.close()]);
  };
  signals.addCleanup(close);
  try {
    if (!args.quiet) process.stderr.write([opened.description, ...servers.summary, ''].join('\n'));
    for (const notice of [...opened.notices, ...servers.problems])
      process.stderr.write(`Notice: ${notice}\n`);
    const agent = makeAgent(args, system, settings, opened, servers);
    if (args.prompt !== undefined) return await answerOnce(agent, args.prompt, signals);
    process.stdout.write("Ready. Type your prompt or 'quit' to exit.\n");
    return await new LineSession({ agent, tools: servers.host, signals }).run();
  } finally {
    await close();
  }
}

/** Servers and model start side by side; when one fails, the other is closed again. */
async function start(
  source: string,
  args: ChatArguments,
  settings: Settings,
  openModel: OpenModel,
  log: Log,
  servers: McpConfig,
) {
  const progress = new ProgressLine(process.stderr, 'Loading');
  const [model, host] = await Promise.allSettled([
    openModel(source, {
      contextLength: args.context ?? settings.config.context ?? 0,
      adapter: args.adapter,
      onProgress: ({ doneBytes, totalBytes }) => progress.update(doneBytes, totalBytes),
      cwd: process.cwd(),
      env: process.env,
    }),
    startServers(servers, log, process.env),
  ]);
  progress.end();
  if (model.status === 'fulfilled' && host.status === 'fulfilled') {
    return { opened: model.value, servers: host.value };
  }
  if (model.status === 'fulfilled') await model.value.close();
  if (host.status === 'fulfilled') await host.value.host.close();
  throw model.status === 'rejected' ? model.reason : (host as PromiseRejectedResult).reason;
}

function mcpFiles(args: ChatArguments, settings: Settings) {
  if (args.mcp === false) return [];
  return settings.mcpFiles ?? [demoMcpFile(process.env)];
}

function makeAgent(
  args: ChatArguments,
  system: string,
  { config }: Settings,
  opened: OpenedModel,
  servers: RunningServers,
): Agent {
  const seconds = args.toolTimeout ?? config.tools?.timeout ?? DEFAULT_TOOL_TIMEOUT_SECONDS;
  const { maxResultChars } = config.tools ?? {};
  return new Agent({
    model: opened.model,
    tools: servers.host,
    history: createHistory([system, ...servers.instructions].join('\n\n')),
    sampling: mergeSampling(args, config),
    toolTimeoutMs: seconds * 1000,
    ...(maxResultChars !== undefined && { maxResultChars }),
    ...(config.retry?.max !== undefined && { maxRetries: config.retry.max }),
  });
}
