// The tools of the MCP servers in an mcp.json; calls that its entries want to be asked about are asked about:
//   node mcp.mjs MCP_JSON "QUESTION" [MODEL]
import { createInterface } from 'node:readline/promises';
import { loadModel } from 'llm-host';

const [file, question, source = 'demo'] = process.argv.slice(2);
if (file === undefined || question === undefined) {
  console.error('Usage: node mcp.mjs MCP_JSON "QUESTION" [MODEL]');
  process.exit(2);
}

const model = await loadModel(source);
const chat = model.chat({
  mcp: file,
  approve: async ({ server, tool, arguments: given, signal }) => {
    const asked = `May ${server} run ${tool} with ${JSON.stringify(given)}? [y/n] `;
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    const options = signal ? { signal } : {};
    const answer = await terminal.question(asked, options).finally(() => terminal.close());
    return answer === 'y' ? 'yes' : 'no';
  },
  onLog: (server, line) => console.error(`${server}: ${line}`),
});

for await (const event of chat.send(question)) {
  if (event.type === 'tool_call') console.error(`Calling ${event.name}`, event.arguments);
  if (event.type === 'tool_error') console.error(`${event.name} failed: ${event.message}`);
  if (event.type === 'token') process.stdout.write(event.text);
}
process.stdout.write('\n');
await model.close();
