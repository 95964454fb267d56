// Turns a text on stdin into data of a fixed shape, as JSON:
//   node structured-data.mjs [MODEL] < text
import { text } from 'node:stream/consumers';
import { LlmHostError, loadModel } from 'llm-host';
import { z } from 'zod';

const Place = z.object({
  name: z.string(),
  country: z.string(),
  kind: z.enum(['city', 'village', 'country', 'other']),
  capital: z.boolean(),
});

const model = await loadModel(process.argv[2] ?? 'demo');
const chat = model.chat({ system: 'You extract facts from texts.', maxTokens: 300 });
try {
  const { value } = await chat.send(`Which place is this about?\n\n${await text(process.stdin)}`, {
    schema: Place,
  });
  // `value` has the type of the schema.
  console.log(JSON.stringify({ ...value, name: value.name.trim() }, null, 2));
} catch (error) {
  if (!(error instanceof LlmHostError)) throw error;
  console.error([error.message, error.hint].filter(Boolean).join('\n'));
  process.exitCode = error.exitCode;
}
await model.close();
