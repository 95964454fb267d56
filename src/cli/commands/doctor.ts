import { stripControls } from '../../text/strip-controls.ts';
import { checkConfig, checkServers } from '../doctor/check-config.ts';
import { checkDemo, checkEngine } from '../doctor/check-engine.ts';
import { checkCache, checkHub } from '../doctor/check-hub.ts';
import { checkMemory, checkNode } from '../doctor/check-machine.ts';
import type { Finding } from '../doctor/finding.ts';
import { VERSION } from '../process/version.ts';

/**
 * `llm-host doctor`: looks at all that the program needs, one line for each, below it what mends it. 0 when nothing is
 * wrong, else the exit code of the first error.
 */
export async function doctor({ json }: { readonly json?: boolean | undefined }): Promise<number> {
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
      if (!json) process.stdout.write(lines(finding));
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
