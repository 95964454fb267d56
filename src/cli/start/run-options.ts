import { join } from 'node:path';
import { metricsFile } from '../../agent/calls/metrics.ts';
import { styleFile } from '../../agent/model/prompt-style-choice.ts';
import type { TurnOptions } from '../../agent/turn/agent-options.ts';
import type { McpFile } from '../../mcp/config/document.ts';
import type { ToolPolicy } from '../../mcp/policy/policy.ts';
import { promptStyleNamed, promptStyleNames } from '../../parse/formats/prompt-style.ts';
import { callFormatsOfUser } from '../../parse/formats/user-format.ts';
import type { OpenModelOptions } from '../../run/open-model.ts';
import { stripControls } from '../../text/clean/strip-controls.ts';
import type { ChatArguments } from '../options/option-table.ts';
import { mergeSampling } from '../options/sampling-options.ts';
import { stateDirectory, VERSION } from '../process/app.ts';
import type { AppConfig } from '../settings/config-file.ts';
import { demoMcpFile } from '../settings/demo.ts';
import { ollamaSettings } from '../settings/model-source.ts';
import type { Settings } from '../settings/settings.ts';

const DEFAULT_TOOL_TIMEOUT_SECONDS = 90;
const DEFAULT_DISK_CACHE_MB = 4096;

/** Options for opening the model, from command line and config.json. */
export function modelOptions(
  args: ChatArguments,
  config: AppConfig,
  env: NodeJS.ProcessEnv,
): OpenModelOptions {
  const { kvBits, adapter, quantize, saveQuantized } = args;
  return {
    contextLength: args.context ?? config.context,
    kvBits,
    adapter,
    quantize,
    saveQuantized,
    draftModel: args.draftModel ?? config.draftModel,
    shared: args.hosts === undefined ? undefined : { hosts: args.hosts, version: VERSION },
    diskCacheBytes: Math.round((args.diskCacheMb ?? config.diskCacheMb ?? DEFAULT_DISK_CACHE_MB) * 2 ** 20),
    ollama: ollamaSettings(args, config),
    toolProtocol: config.toolProtocol,
    promptStyle: promptStyleOf(config, env),
    toolFormats: callFormatsOfUser(config.toolFormats ?? []),
    repetitionGuard: args.repetitionGuard ?? config.repetitionGuard,
  };
}

/** The style that config.json names; without one, all are tried, and the state folder remembers which one worked. */
function promptStyleOf(
  { promptStyle, promptStyles }: AppConfig,
  env: NodeJS.ProcessEnv,
): OpenModelOptions['promptStyle'] {
  if (promptStyle !== undefined) return promptStyleNamed(promptStyle, promptStyles);
  const styles = promptStyleNames(promptStyles).flatMap(name => {
    const style = promptStyleNamed(name, promptStyles);
    return style ? [[name, style] as const] : [];
  });
  return { styles, memory: styleFile(join(stateDirectory(env), 'prompt-styles.json'), notice) };
}

/** Options for the log file, from command line and config.json. */
export function logOptions({ logFile, logLevel, debug }: ChatArguments, { logging }: AppConfig) {
  return { file: logFile ?? logging?.file, level: debug ? 'debug' : (logLevel ?? logging?.level) };
}

/** The mcp files that were found or named, or the demo's own. */
export function mcpFilesOf(
  args: ChatArguments,
  settings: Settings,
  env: NodeJS.ProcessEnv,
): readonly McpFile[] {
  if (args.mcp === false) return [];
  return settings.mcpFiles ?? [demoMcpFile(env)];
}

/** Options for turns, from command line and config.json. */
export function agentOptions(
  args: ChatArguments,
  config: AppConfig,
): Pick<
  TurnOptions,
  | 'sampling'
  | 'toolTimeoutMs'
  | 'toolBudget'
  | 'pinnedTools'
  | 'maxResultChars'
  | 'retry'
  | 'constrain'
  | 'onAttempt'
> {
  const seconds = args.toolTimeout ?? config.tools?.timeout ?? DEFAULT_TOOL_TIMEOUT_SECONDS;
  const { budget, pinned, maxResultChars, constrain, metricsFile: metricsPath } = config.tools ?? {};
  return {
    sampling: mergeSampling(args, config),
    toolTimeoutMs: seconds * 1000,
    toolBudget: budget,
    pinnedTools: pinned,
    maxResultChars,
    retry: config.retry,
    constrain,
    onAttempt: metricsPath === undefined ? undefined : metricsFile(metricsPath, notice),
  };
}

const notice = (message: string): void => void process.stderr.write(`Notice: ${stripControls(message)}\n`);

/** The tool policy of config.json and the command line. `--tools a,b` means `--tools a --tools b`. */
export function toolPolicy(args: ChatArguments, { tools = {} }: AppConfig): ToolPolicy {
  const selected = args.tools?.flatMap(patterns => patterns.split(',')).filter(pattern => pattern !== '');
  const { blocked, allowed, ratePerMinute, approval } = tools;
  return {
    blocked,
    allowed,
    selected,
    ratePerMinute,
    approval,
    askAll: args.ask,
    askDestructive: (!args.yes && !args.json) || undefined,
  };
}
