import { readFileSync } from 'node:fs';

/**
 * This process's peak resident memory so far, in bytes. On Linux getrusage includes the parent's memory from before
 * exec, so the figure is read from /proc instead.
 */
export function peakMemory(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024;
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}
