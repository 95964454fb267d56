import { fileURLToPath } from 'node:url';
import { type NodeRun, runNode } from '../run-node.ts';

/** Runs a script of scripts/ with an empty stdin, in the present environment and `env` over it. */
export function runScript(
  name: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<NodeRun> {
  const path = fileURLToPath(new URL(`../../scripts/${name}`, import.meta.url));
  return runNode([path, ...args], env);
}
