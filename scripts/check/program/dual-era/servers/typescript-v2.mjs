// A small server on stdio with @modelcontextprotocol/server 2. Usage: node typescript-v2.mjs <folder of the packages>
import { installedIn } from './installed-in.mjs';

const load = installedIn(process.argv[2]);
const { acceptedContent, inputRequired, McpServer } = await load('@modelcontextprotocol/server');
const { serveStdio } = await load('@modelcontextprotocol/server/stdio');
const { z } = await load('zod');

const text = value => ({ content: [{ type: 'text', text: String(value) }] });
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
const Name = z.object({ name: z.string() });
let cancelled = false;

serveStdio(() => {
  const server = new McpServer({ name: 'dual', version: '1' }, {});
  const Sum = z.object({ a: z.number(), b: z.number() });
  server.registerTool('add', { inputSchema: Sum }, ({ a, b }) => text(a + b));
  server.registerTool('steps', {}, async ({ mcpReq }) => {
    for (const progress of [1, 2, 3]) {
      const params = { progressToken: mcpReq._meta?.progressToken, progress, total: 3 };
      await mcpReq.notify({ method: 'notifications/progress', params });
      await sleep(150);
    }
    return text('stepped');
  });
  server.registerTool('wait', {}, async ({ mcpReq }) => {
    mcpReq.signal.addEventListener('abort', () => {
      cancelled = true;
    });
    await sleep(20_000);
    return text('waited');
  });
  server.registerTool('was_cancelled', {}, () => text(cancelled ? 'yes' : 'no'));
  server.registerTool('ask', {}, ({ mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, 'who', Name);
    if (answer !== undefined) return text(`hello ${answer.name}`);
    const who = inputRequired.elicit({ message: 'Who are you?', requestedSchema: Name });
    return inputRequired({ inputRequests: { who } });
  });
  return server;
});
