// Loaded before the program (node --require): writes what the process holds to the file LLM_HOST_PROBE, every five seconds
// in which it was busy, after a full garbage collection, one JSON line each time. `objects` is the heap without compiled code, which grows
// for hours as more of the program becomes hot. Worker threads load this file too, with heaps of their
// own: they write nothing. `pid` tells the program from processes that it starts.
const { appendFileSync, readdirSync, readFileSync } = require('node:fs');
const v8 = require('node:v8');
const vm = require('node:vm');
const { isMainThread } = require('node:worker_threads');

const file = process.env.LLM_HOST_PROBE;
const threads = () => Number(/Threads:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
/** The addon, once the program has loaded it. */
const mlx = () => {
  const path = Object.keys(require.cache).find(name => name.endsWith('llm_host.node'));
  return path === undefined ? undefined : require.cache[path].exports.memory?.();
};

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');
v8.setFlagsFromString('--no-expose-gc');

/** Collecting must cost little beside the work, also where others keep the processor. */
const BUSY_US = 2e6;
let used = 0;

function sample() {
  const { user, system } = process.cpuUsage();
  if (user + system - used < BUSY_US) return;
  used = user + system;
  collect();
  const code = v8.getHeapCodeStatistics();
  const codeBytes = code.code_and_metadata_size + code.bytecode_and_metadata_size;
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  const { activeBytes = 0, cacheBytes = 0 } = mlx() ?? {};
  const counts = {
    handles: process.getActiveResourcesInfo().length,
    threads: threads(),
    files: readdirSync('/proc/self/fd').length,
  };
  const objects = heapUsed - codeBytes;
  const bytes = { rss, heapUsed, objects, external, arrayBuffers, mlxActive: activeBytes, mlxCache: cacheBytes };
  appendFileSync(file, `${JSON.stringify({ at: Date.now(), pid: process.pid, ...bytes, ...counts })}\n`);
}

if (file && isMainThread) setInterval(sample, 5000).unref();
