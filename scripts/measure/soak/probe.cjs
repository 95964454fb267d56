// Loaded before the program (node --require): writes what the process holds to the file LLM_HOST_PROBE, once a second.
const { appendFileSync, readdirSync, readFileSync } = require('node:fs');

const file = process.env.LLM_HOST_PROBE;
const threads = () => Number(/Threads:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
/** The addon, once the program has loaded it. */
const mlx = () => {
  const path = Object.keys(require.cache).find(name => name.endsWith('llm_host.node'));
  return path === undefined ? undefined : require.cache[path].exports.memory?.();
};

function sample() {
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  const { activeBytes = 0, cacheBytes = 0 } = mlx() ?? {};
  const counts = {
    handles: process.getActiveResourcesInfo().length,
    threads: threads(),
    files: readdirSync('/proc/self/fd').length,
  };
  const bytes = { rss, heapUsed, external, arrayBuffers, mlxActive: activeBytes, mlxCache: cacheBytes };
  appendFileSync(file, `${JSON.stringify({ at: Date.now(), ...bytes, ...counts })}\n`);
}

if (file) setInterval(sample, 1000).unref();
