import { embed, generateText, Output, stepCountIs, streamText, tool } from 'ai';
import { loadModel } from 'llm-host';
import { embeddingModel, languageModel } from 'llm-host/ai-sdk';
import { z } from 'zod';

await using demo = await loadModel('demo');
const model = languageModel(demo);
const prompt = 'What is the capital of France?';
console.log((await generateText({ model, prompt })).text);
for await (const text of streamText({ model, prompt }).textStream) process.stdout.write(text);
console.log();

const add = tool({
  description: 'Adds two numbers',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});
const sum = { model, prompt: 'What is 17 + 25?', tools: { add }, stopWhen: stepCountIs(3) };
const { steps, text } = await generateText(sum);
console.log(steps[0]?.toolResults[0]?.output, text);

const output = Output.object({ schema: z.object({ city: z.string(), country: z.string() }) });
const place = (await generateText({ model, prompt: 'Where is the Eiffel Tower?', output })).output;
console.log(typeof place.city, typeof place.country);

await using embedder = await loadModel('./embedder');
const { embedding } = await embed({ model: embeddingModel(embedder), value: 'A cat sits on the mat.' });
console.log(embedding.length > 0 && embedding.every(Number.isFinite));
