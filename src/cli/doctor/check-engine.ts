import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { EXIT, LlmHostError } from '../../errors.ts';
import { demoFiles } from '../../model/demo-model.ts';
import type { DeviceReport, NativeAddon } from '../../native/addon-types.ts';
import { addonCandidates } from '../../native/load-addon.ts';
import { type LoadFailure, loadHint } from '../../native/load-hint.ts';
import { deviceFindings } from './check-device.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

/** Milliseconds. */
const LIMIT_MS = 30_000;

/** Loads the addon named by its argument, tries every kind of kernel, and prints what came of it. */
const TRIAL = `
const { versions, probe, shutdown } = require(process.argv[1]);
process.on('exit', () => shutdown());
if (versions.mlxBuilt !== versions.mlxLoaded) console.log(JSON.stringify({ versions }));
else
  probe().then(
    report => console.log(JSON.stringify({ versions, report })),
    ({ message }) => console.log(JSON.stringify({ versions, broken: message })),
  );`;

/** What the trial printed, or why it printed nothing. */
interface Trial {
  readonly mlx?: string;
  readonly report?: DeviceReport;
  readonly reason?: string;
}

/** Tries the addon in a child process, so a crash is a finding too. */
export async function checkEngine(paths: readonly string[] = addonCandidates()): Promise<Finding[]> {
  const failures: LoadFailure[] = [];
  for (const path of paths) {
    const trial = existsSync(path) ? await tryAddon(path) : { reason: 'no such file' };
    if (trial.mlx !== undefined && trial.report)
      return [
        ...passedOver(failures),
        ok('engine', `MLX ${trial.mlx}: ${path}`),
        ...deviceFindings(trial.report, path),
      ];
    failures.push({ path, reason: trial.reason ?? '' });
  }
  const tried = failures.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
  return [failed('engine', `the addon does not load. ${tried}`, loadHint(failures), EXIT.unavailable)];
}

/** A better build that does not load, though another does. */
function passedOver(failures: readonly LoadFailure[]): Finding[] {
  return failures.map(failure =>
    warning(
      'engine',
      `a faster build does not load: ${failure.path}: ${failure.reason}`,
      loadHint([failure]),
    ),
  );
}

async function tryAddon(path: string): Promise<Trial> {
  const child = spawn(process.execPath, ['-e', TRIAL, path], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', chunk => {
      output[name] += chunk;
    });
  }
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>(resolve => {
    child.on('close', (...ended) => resolve(ended));
  });
  if (code === 0 && output.stdout !== '') return trialIn(output.stdout);
  if (signal) return { reason: `it crashed Node (${signal})` };
  // Node prints the location, the error and its stack.
  return { reason: /^\w*Error: (.*)$/m.exec(output.stderr)?.[1] ?? `Node exited with ${code}` };
}

function trialIn(text: string): Trial {
  const { versions, report, broken } = JSON.parse(text) as {
    versions: NativeAddon['versions'];
    report?: DeviceReport;
    broken?: string;
  };
  const { mlxBuilt, mlxLoaded } = versions;
  if (mlxBuilt !== mlxLoaded)
    return { reason: `built for MLX ${mlxBuilt}, but the MLX found is ${mlxLoaded}` };
  return report ? { mlx: mlxLoaded, report } : { reason: broken ?? 'it said nothing' };
}

/** Checks the weights of `llm-host demo`. */
export function checkDemo(env: NodeJS.ProcessEnv): Finding {
  try {
    return ok('demo', demoFiles(env).weights);
  } catch (error) {
    if (!(error instanceof LlmHostError)) throw error;
    return warning('demo', error.message, error.hint ?? '');
  }
}
