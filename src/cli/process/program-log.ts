import { join } from 'node:path';
import { type Log, openLog } from '../../run/log.ts';
import type { ChatArguments } from '../options/chat-options.ts';
import type { AppConfig } from '../settings/config-file.ts';
import { stateDirectory } from '../settings/lookup.ts';
import { divertWarnings } from './divert-output.ts';

/** The log file of the state folder, for commands that have no options about it. */
export function openProgramLog(env: NodeJS.ProcessEnv): Log {
  return openLog(defaultPath(env), 'info', notice);
}

/** The log of a chat or of `serve`, as the options and config.json want it; Node's warnings go there too. */
export function openRunLog(args: ChatArguments, { logging }: AppConfig, env: NodeJS.ProcessEnv): Log {
  const log = openLog(
    args.logFile ?? logging?.file ?? defaultPath(env),
    args.debug ? 'debug' : (args.logLevel ?? logging?.level ?? 'info'),
    notice,
  );
  divertWarnings(text => log.logger.warn(text));
  return log;
}

const defaultPath = (env: NodeJS.ProcessEnv): string => join(stateDirectory(env), 'llm-host.log');

const notice = (message: string): void => void process.stderr.write(`Notice: ${message}\n`);
