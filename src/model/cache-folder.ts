import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder for files that can be made or downloaded again. */
export function programCacheFolder(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'llm-host');
}
