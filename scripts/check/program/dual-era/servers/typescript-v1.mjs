// A small server on stdio with @modelcontextprotocol/sdk 1. Usage: node typescript-v1.mjs <folder of the packages>
import { installedIn } from './installed-in.mjs';

const load = installedIn(process.argv[2]);
const { McpServer } = await load('@modelcontextprotocol/sdk/server/mcp.js');
const { StdioServerTransport } = await load('@modelcontextprotocol/sdk/server/stdio.js');
const { InMemoryTaskStore, InMemoryTaskMessageQueue } = await load(
  '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js',
);
const { z } = await load('zod');

const text = value => ({ content: [{ type: 'text', text: String(value) }] });
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
const server = new McpServer(
  { name: 'dual', version: '1' },
  {
    capabilities: { tasks: { requests: { tools: { call: {} } } } },
    taskStore: new InMemoryTaskStore(),
    taskMessageQueue: new InMemoryTaskMessageQueue(),
  },
);
let cancelled = false;

server.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => text(a + b));
server.registerTool('steps', {}, async ({ _meta, sendNotification }) => {
  for (const progress of [1, 2, 3]) {
    const params = { progressToken: _meta?.progressToken, progress, total: 3 };
    await sendNotification({ method: 'notifications/progress', params });
    await sleep(150);
  }
  return text('stepped');
});
server.registerTool('wait', {}, async ({ signal }) => {
  signal.addEventListener('abort', () => {
    cancelled = true;
  });
  await sleep(20_000);
  return text('waited');
});
server.registerTool('was_cancelled', {}, () => text(cancelled ? 'yes' : 'no'));
server.registerTool('ask', {}, async () => {
  const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
  const { content } = await server.server.elicitInput({ message: 'Who are you?', requestedSchema });
  return text(`hello ${content?.name}`);
});
server.experimental.tasks.registerToolTask(
  'research',
  { inputSchema: {}, execution: { taskSupport: 'required' } },
  {
    createTask: async (_args, { taskStore, taskRequestedTtl }) => {
      const task = await taskStore.createTask({ ttl: taskRequestedTtl, pollInterval: 200 });
      setTimeout(() => void taskStore.storeTaskResult(task.taskId, 'completed', text('researched')), 900);
      return { task };
    },
    getTask: (_args, { taskId, taskStore }) => taskStore.getTask(taskId),
    getTaskResult: (_args, { taskId, taskStore }) => taskStore.getTaskResult(taskId),
  },
);
await server.connect(new StdioServerTransport());
