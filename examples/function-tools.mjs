// Functions of this program as tools of the model:
//   node function-tools.mjs ["QUESTION"] [MODEL]
import { loadModel, tool } from 'llm-host';
import { z } from 'zod';

const [question = 'What is 17 plus 25?', source = 'demo'] = process.argv.slice(2);

const add = tool({
  description: 'Adds two numbers',
  parameters: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => a + b,
});

// What a tool throws is told to the model: here, that there is no such zone.
const get_time = tool({
  description: 'Gets the time of day in a time zone',
  parameters: z.object({ zone: z.string().describe('such as Europe/Oslo') }),
  run: ({ zone }) => new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'short' }).format(),
});

const model = await loadModel(source);
const reply = await model.chat({ tools: { add, get_time } }).send(question);
for (const call of reply.calls)
  console.log(call.name, call.arguments, call.result ?? `failed: ${call.error}`);
console.log(reply.text);
await model.close();
