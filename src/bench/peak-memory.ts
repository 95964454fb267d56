import { readFileSync } from 'node:fs';

/**
 * The most memory that this process held resident so far, in bytes. Linux counts that of the program which started
 * this one into getrusage's figure, so the kernel's note on this process's own memory is read there.
 */
export function peakMemory(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024;
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}
