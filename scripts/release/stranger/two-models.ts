import { loadModel } from 'llm-host';

await using first = await loadModel('demo');
await using second = await loadModel('demo', { contextLength: 2048 });
const replies = [first, second].map(model => model.chat().send('What is the capital of France?', {}));
for (const { text } of await Promise.all(replies)) console.log(text);
console.log(first.contextLength > second.contextLength);
