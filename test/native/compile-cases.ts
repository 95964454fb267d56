import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { runNode } from '../run-node.ts';

interface Scored {
  readonly id: number;
  readonly logprob: number;
}
/** One model's reply. */
export interface Reply {
  readonly tokens: readonly Scored[];
  /** The kernels of a step, by operation and type. */
  readonly launches: Readonly<Record<string, number>>;
}

const child = fileURLToPath(new URL('compile-child.mjs', import.meta.url));

const compiler = (() => {
  try {
    return execFileSync('sh', ['-c', 'command -v g++'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
})();
/** On a CPU MLX compiles by the program of this name, and by no other. */
export const HAS_COMPILER = compiler !== undefined;

/** What Node prints, and how often MLX compiled something. */
export async function countCompiled(
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ readonly stdout: string; readonly compiled: number }> {
  // MLX keeps what it has compiled in the temporary folder.
  const folder = mkdtempSync(join(tmpdir(), 'llm-host-compile-'));
  try {
    const log = join(folder, 'log');
    mkdirSync(join(folder, 'bin'));
    const script = `#!/bin/sh\necho "$@" >> '${log}'\nexec '${compiler ?? 'false'}' "$@"\n`;
    writeFileSync(join(folder, 'bin', 'g++'), script, { mode: 0o755 });
    const path = `${join(folder, 'bin')}:${process.env.PATH}`;
    const run = await runNode(args, { ...env, PATH: path, TMPDIR: folder });
    expect(run).toMatchObject({ status: 0, stderr: '' });
    const calls = existsSync(log) ? readFileSync(log, 'utf8') : '';
    return { stdout: run.stdout, compiled: calls.split('-shared').length - 1 };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What the models of `folders` reply, and how often MLX compiled something. */
export async function repliesOf(
  folders: readonly string[],
  env: Record<string, string>,
): Promise<{ readonly replies: readonly Reply[]; readonly compiled: number }> {
  const { stdout, compiled } = await countCompiled([child, ...folders], env);
  return { replies: JSON.parse(stdout), compiled };
}

const total = (launches: Reply['launches']) => Object.values(launches).reduce((a, b) => a + b, 0);

/** That compiled operations compute what the plain ones do, and are as few kernels as are counted without compiling. */
export async function expectSameCompiled(folders: readonly string[]): Promise<void> {
  const plain = await repliesOf(folders, { LLM_HOST_DEVICE_POLICY: 'gpu' });
  const compiled = await repliesOf(folders, { LLM_HOST_DEVICE_POLICY: 'gpu', LLM_HOST_COMPILE: '1' });
  expect(plain.compiled).toBe(0);
  expect(compiled.compiled).toBeGreaterThan(0);
  for (const [i, folder] of folders.entries()) {
    const [a, b] = [plain.replies[i] as Reply, compiled.replies[i] as Reply];
    expect(Object.keys(b.launches).join(), folder).toContain('Compiled');
    expect(total(b.launches), folder).toBe(total(a.launches));
    for (const [at, token] of a.tokens.entries()) {
      expect(b.tokens[at]?.id, folder).toBe(token.id);
      expect(b.tokens[at]?.logprob, folder).toBeCloseTo(token.logprob, 2);
    }
  }
}
