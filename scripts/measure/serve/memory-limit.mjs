// Loaded by `node --import`: the process finds as much memory available as under a limit of `?mb=N` in its container.
const limit = Number(new URL(import.meta.url).searchParams.get('mb')) * 1e6;
process.availableMemory = () => Math.max(0, limit - process.memoryUsage.rss());
