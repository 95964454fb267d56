import { loadModel, tool } from 'llm-host';
import { z } from 'zod';

await using model = await loadModel('demo');
const parameters = z.object({ a: z.number(), b: z.number() });
const add = tool({ description: 'Adds two numbers', parameters, run: ({ a, b }) => a + b });
const half = tool({ description: 'Divides a number by 2', parameters, run: ({ a }) => a / 2 });
const files = { command: 'npx', args: ['llm-host', 'server', 'files', '--root', '.'] };
await using chat = model.chat({ tools: { add, half }, mcp: { servers: { files } } });

for (const question of ['What is 17 plus 25?', 'List the files in the current folder.']) {
  const { calls, text } = await chat.send(question);
  console.log(calls.map(({ name }) => name).join(), text);
}
