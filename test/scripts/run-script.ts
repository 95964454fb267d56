import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface ScriptRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a script of scripts/ with an empty stdin, in the present environment and `env` over it. */
export function runScript(
  name: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<ScriptRun> {
  const path = fileURLToPath(new URL(`../../scripts/${name}`, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', chunk => {
    stdout += chunk;
  });
  child.stderr.on('data', chunk => {
    stderr += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', status => resolve({ status, stdout, stderr }));
  });
}
