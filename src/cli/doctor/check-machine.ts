import { EXIT } from '../../errors.ts';
import { availableMemory } from '../../model/fit.ts';
import { byteSize } from '../../text/byte-size.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

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
