import { stripControls } from '../../text/clean/strip-controls.ts';
import { VERSION } from '../process/app.ts';
import { wrapped } from '../process/terminal.ts';
import { checkConfig, checkServers } from './check-config.ts';
import { checkDemo, checkEngine, checkMemory, checkNode } from './check-engine.ts';
import { checkCache, checkHub } from './check-hub.ts';
import type { Finding } from './finding.ts';

/**
 * `llm-host doctor`: checks what the program needs and prints one line per finding, with its fix below. Resolves with the
 * exit code of the first error, or 0.
 */
export async function runDoctor({ json }: { readonly json?: boolean | undefined }): Promise<number> {
  const where = { cwd: process.cwd(), env: process.env };
  const findings: Finding[] = [];
  const steps: readonly (() => Finding | Finding[] | Promise<Finding | Finding[]>)[] = [
    () => checkNode(),
    () => checkEngine(),
    () => checkMemory(),
    () => checkDemo(where.env),
    () => checkCache(where.env),
    () => checkHub(where.env),
    () => checkConfig(where),
    () => checkServers(where),
  ];
  for (const step of steps) {
    for (const finding of [await step()].flat()) {
      findings.push(finding);
      if (!json) process.stdout.write(wrapped(lines(finding), process.stdout, where.env));
    }
  }
  if (json) process.stdout.write(`${JSON.stringify({ version: VERSION, findings }, null, 2)}\n`);
  return findings.find(({ state }) => state === 'error')?.exitCode ?? 0;
}

function lines({ check, state, message, fix }: Finding): string {
  const mark = { ok: 'ok     ', warning: 'warning', error: 'ERROR  ' }[state];
  const fixes = fix ? fix.split('\n').map(line => `          ${line}\n`) : [];
  return stripControls(`${mark} ${check}: ${message.replaceAll('\n', ' ')}\n${fixes.join('')}`);
}
