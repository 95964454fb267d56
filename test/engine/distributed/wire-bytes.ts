import { execFileSync } from 'node:child_process';

/** Whether the system counts the bytes of each connection, as Linux' `ss` shows them. */
export function countsBytes(): boolean {
  try {
    return execFileSync('ss', ['-V'], { encoding: 'utf8' }).includes('ss utility');
  } catch {
    return false;
  }
}

/** Payload that these processes have sent over TCP. */
export function bytesSent(pids: readonly number[]): number {
  return execFileSync('ss', ['-tinpHO', 'state', 'established'], { encoding: 'utf8' })
    .split('\n')
    .filter(line => pids.includes(Number(/pid=(\d+)/.exec(line)?.[1])))
    .reduce((sum, line) => sum + Number(/bytes_sent:(\d+)/.exec(line)?.[1] ?? 0), 0);
}
