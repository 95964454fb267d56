import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EXIT, LlmHostError, messageOf } from '../../errors.ts';
import { demoFiles } from '../../model/demo-model.ts';
import { availableMemory } from '../../model/fit.ts';
import type { DeviceReport, NativeAddon } from '../../native/addon-types.ts';
import { addonCandidates } from '../../native/load-addon.ts';
import { type LoadFailure, loadHint } from '../../native/load-hint.ts';
import { byteSize } from '../../text/byte-size.ts';
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

/** The output of the trial, or why there was none. */
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

/** Name and memory of the device, what its kernels computed, and on a Mac the library that they come from. */
export function deviceFindings(report: DeviceReport, addon: string): Finding[] {
  const { device, kernels } = report;
  const wrong = kernels.filter(({ error }) => error !== '');
  const what = `${device}${memoryOf(report)}`;
  if (wrong.length > 0) {
    const errors = wrong.map(({ name, error }) => `${name}: ${error}`).join('; ');
    const fix =
      'Update the system and the driver. If it stays so, report it with the output of `llm-host doctor --json`.';
    return [failed('device', `${what}; it computes wrong results. ${errors}`, fix, EXIT.unavailable)];
  }
  const right = ok('device', `${what}; all ${kernels.length} kinds of kernels compute what they should`);
  return [right, ...metalLibraryFindings(dirname(addon))];
}

function memoryOf({ workingSetBytes, totalBytes, freeBytes }: DeviceReport): string {
  if (workingSetBytes > 0)
    return `, ${byteSize(workingSetBytes)} for models of ${byteSize(totalBytes)} of memory`;
  if (totalBytes > 0) return `, ${byteSize(freeBytes)} free of ${byteSize(totalBytes)} of memory`;
  return '';
}

/** Beside libmlx: where the addon looks for it, seen from its folder. */
function metalLibraryFindings(folder: string): Finding[] {
  const path = join(folder, '..', '..', 'vendor', 'mlx', 'lib', 'mlx.metallib');
  if (!existsSync(path)) return [];
  try {
    return [ok('metal', `${metalLibrary(path)}: ${path}`)];
  } catch (error) {
    const fix = 'Install the program again, or in a checkout run `npm run bootstrap`.';
    return [failed('metal', `${path} is broken: ${messageOf(error)}`, fix, EXIT.unavailable)];
  }
}

/** Bytes. */
const HEADER = 24;
const MACOS = 0x81;

/**
 * Reads what the header of a Metal library says: "kernels for macOS 14.0, 147 MB".
 * @throws if it is none, or not whole
 */
function metalLibrary(path: string): string {
  const header = Buffer.alloc(HEADER);
  const file = openSync(path, 'r');
  try {
    if (readSync(file, header, 0, HEADER, 0) < HEADER || header.toString('latin1', 0, 4) !== 'MTLB')
      throw new Error('it is not a Metal library');
  } finally {
    closeSync(file);
  }
  const { size } = statSync(path);
  const expected = Number(header.readBigUInt64LE(16));
  if (size !== expected) throw new Error(`it has ${size} bytes instead of ${expected}`);
  if (header[11] !== MACOS) throw new Error('it is not for macOS');
  return `kernels for macOS ${header.readUInt16LE(12)}.${header.readUInt16LE(14)}, ${byteSize(size)}`;
}

const NODE_MINIMUM = [22, 13] as const;
/** Bytes; below this only the smallest models fit. */
const LITTLE_MEMORY = 2e9;

/** @param version such as 22.3.1 */
export function checkNode(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wantedMajor, wantedMinor] = NODE_MINIMUM;
  const isNew = major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
  const what = `${version}, ${process.platform} ${process.arch}`;
  if (isNew) return ok('node', what);
  const wanted = NODE_MINIMUM.join('.');
  return failed('node', `${what}; ${wanted} or newer is needed`, 'Get it from nodejs.org.', EXIT.unavailable);
}

/** The system's: that of the device is said with the device. @param available bytes */
export function checkMemory(available = availableMemory(0)): Finding {
  const message = `${byteSize(available)} available`;
  if (available >= LITTLE_MEMORY) return ok('memory', message);
  return warning(
    'memory',
    message,
    'Close other programs, or use a small or quantized model (--quantize 4).',
  );
}
