import { openSync, readSync } from 'node:fs';

/** undefined: not opened yet; null: this system has none. Held open, since opening takes ten times as long as reading. */
let file: number | null | undefined;
const bytes = Buffer.alloc(64);

/** Milliseconds of CPU that this thread has used; undefined where the system does not tell (macOS with Node before 23.9). */
export function threadCpuMs(): number | undefined {
  const { threadCpuUsage } = process as { threadCpuUsage?: () => { user: number; system: number } };
  if (threadCpuUsage) {
    const { user, system } = threadCpuUsage.call(process);
    return (user + system) / 1000;
  }
  try {
    // The thread is the one that opens it.
    file ??= process.platform === 'linux' ? openSync('/proc/thread-self/schedstat', 'r') : null;
    if (file === null) return undefined;
    const [nanoseconds] = bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0)).split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    file = null;
    return undefined;
  }
}
