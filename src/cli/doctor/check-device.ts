import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EXIT, messageOf } from '../../errors.ts';
import type { DeviceReport } from '../../native/addon-types.ts';
import { byteSize } from '../../text/byte-size.ts';
import { type Finding, failed, ok } from './finding.ts';

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
 * What the header of a Metal library says: "kernels for macOS 14.0, 147 MB".
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
