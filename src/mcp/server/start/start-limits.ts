import type { ServerConfig } from '../../config/types.ts';

const START_TIMEOUT_MS = 30_000;
/** For starting a server whose package is installed first, unless its entry says otherwise. */
const INSTALL_TIMEOUT_MS = 180_000;
/** Of the time for starting, for a second process that is not probed; */
const SECOND_SHARE = 1 / 3;
/** with more than this, the first one would lack it: what it has installed is there for the second. */
const MOST_SECOND_MS = 10_000;

/** Milliseconds for starting a server: by its entry's own limit, that of its calls, or 30 s, 3 minutes with an installation. */
export function startLimitMs(
  { startTimeoutMs, timeoutMs }: Pick<ServerConfig, 'startTimeoutMs' | 'timeoutMs'>,
  installing: boolean,
): number {
  return startTimeoutMs ?? timeoutMs ?? (installing ? INSTALL_TIMEOUT_MS : START_TIMEOUT_MS);
}

/** Of `leftMs`, those for the process that is asked for the newer era first. */
export function probingLimitMs(leftMs: number): number {
  return leftMs - Math.min(leftMs * SECOND_SHARE, MOST_SECOND_MS);
}
