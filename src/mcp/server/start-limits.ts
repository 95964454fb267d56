import type { ServerConfig } from '../config/types.ts';

const START_TIMEOUT_MS = 30_000;
/** For starting a server whose package is installed first, unless its entry says otherwise. */
const INSTALL_TIMEOUT_MS = 180_000;
/** A server of the older era may not answer the question for the newer one at all; */
const QUESTION_MS = 3000;
/** a local one, whose late answer still counts, has this share of a short time. */
const QUESTION_SHARE = 1 / 3;
/** The share of the time for starting that a second process gets which is not probed; */
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

/** Milliseconds after which a server that is silent is spoken to in the older era, if its entry does not name the newer one. */
export function questionLimitMs(
  config: Pick<ServerConfig, 'transport' | 'startTimeoutMs' | 'timeoutMs' | 'protocol'>,
): number {
  if (config.protocol === '2026-07-28') return startLimitMs(config, false);
  return config.transport === 'stdio'
    ? Math.min(startLimitMs(config, false) * QUESTION_SHARE, QUESTION_MS)
    : QUESTION_MS;
}

/**
 * The part of `leftMs` in which a running server has to answer the question for the newer era or the older greeting. A local
 * one that is not up yet has all of them.
 */
export function probingLimitMs(leftMs: number): number {
  return leftMs - Math.min(leftMs * SECOND_SHARE, MOST_SECOND_MS);
}
