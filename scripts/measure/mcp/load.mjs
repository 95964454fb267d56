// Many calls of one server, to show that nothing leaks: 2,000 in a row, then 2,000 with 32 at once, over stdio.
// Usage, after `npm run build`: node --expose-gc scripts/measure/mcp/load.mjs [calls]
import { getEventListeners } from 'node:events';
import { fileURLToPath } from 'node:url';

const { McpHost } = await import(new URL('../../../dist/mcp/host/mcp-host.js', import.meta.url));
const calls = Number(process.argv[2] ?? 2000);
const main = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const config = {
  name: 'calculator',
  transport: 'stdio',
  command: process.execPath,
  args: [main, 'server', 'calculator'],
  env: {},
  cwd: process.cwd(),
};
const host = new McpHost({ configs: [config] });
await host.start();
const { signal } = new AbortController();
const call = async index => {
  const { text } = await host.call('add', { a: index, b: 1 }, { timeoutMs: 60_000, signal });
  if (text !== String(index + 1)) throw new Error(`call ${index} got ${text}`);
};

function figures() {
  globalThis.gc?.();
  const resources = process.getActiveResourcesInfo().length;
  // All calls share one signal, as the calls of a turn do.
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  const waiting = getEventListeners(signal, 'abort').length;
  const heap = (process.memoryUsage().heapUsed / 1e6).toFixed(1);
  return `heap ${heap} MB, ${resources} handles, ${listeners} listeners of the process, ${waiting} of the signal`;
}

for (let index = 0; index < 100; index++) await call(index);
console.log(`after 100 calls: ${figures()}`);
let begun = performance.now();
for (let index = 0; index < calls; index++) await call(index);
console.log(`${calls} in a row: ${((performance.now() - begun) / calls).toFixed(2)} ms each; ${figures()}`);
begun = performance.now();
for (let index = 0; index < calls; index += 32) {
  await Promise.all(Array.from({ length: 32 }, (_, offset) => call(index + offset)));
}
console.log(
  `${calls} with 32 at once: ${((performance.now() - begun) / calls).toFixed(2)} ms each; ${figures()}`,
);
await host.close();
console.log(`closed: ${figures()}`);
