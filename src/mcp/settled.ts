import type { McpHost } from './mcp-host.ts';
import type { Patience } from './tool-host.ts';

/** @param lastNews when a server became ready or failed last, by `performance.now` */
export function settled(
  host: Pick<McpHost, 'servers' | 'onChange'>,
  lastNews: () => number,
  { quietMs, limitMs, fromNow = false }: Patience,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise(resolve => {
    const begun = performance.now();
    const since = (): number => (fromNow ? Math.max(begun, lastNews()) : lastNews());
    let timer: NodeJS.Timeout | undefined;
    const look = (): void => {
      clearTimeout(timer);
      const leftMs = Math.min(begun + limitMs, since() + quietMs) - performance.now();
      const starting = host.servers().some(({ state }) => state === 'starting');
      if (starting && leftMs > 0 && signal?.aborted !== true) {
        timer = setTimeout(look, leftMs);
        return;
      }
      stop();
      signal?.removeEventListener('abort', look);
      // Then the notices of a server that has just come up are there too.
      setImmediate(resolve);
    };
    const stop = host.onChange(look);
    signal?.addEventListener('abort', look);
    look();
  });
}
