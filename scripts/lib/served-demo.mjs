import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { distDir } from './project.mjs';
import { SetupError } from './setup-error.mjs';

/**
 * Starts `llm-host serve demo` on a free port, with a temporary home folder. Needs dist/.
 * @param {readonly string[]} [args]
 * @param {readonly string[]} [nodeArgs]
 * @returns {Promise<{ url: string, pid: number, stop: () => Promise<number> }>} stop: -> the exit code
 */
export async function serveDemo(args = [], nodeArgs = []) {
  const home = mkdtempSync(join(tmpdir(), 'llm-host-serve-'));
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const env = { PATH: process.env.PATH, HOME: home, XDG_CACHE_HOME: cache };
  const main = join(distDir, 'cli', 'main.js');
  // Nothing of a test or a measurement stays in the user's caches.
  const own = ['serve', 'demo', '--port', '0', '--disk-cache-mb', '0'];
  const child = spawn(process.execPath, [...nodeArgs, main, ...own, ...args], {
    cwd: home,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', text => {
    said = (said + text).slice(-2000);
  });
  const closed = once(child, 'close').then(([code]) => {
    rmSync(home, { recursive: true, force: true });
    return code;
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^Listening on (\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    const stop = () => {
      child.kill('SIGTERM');
      return closed;
    };
    return { url, pid: child.pid, stop };
  }
  throw new SetupError(`serve ended with ${await closed} before it listened`, { output: said });
}
