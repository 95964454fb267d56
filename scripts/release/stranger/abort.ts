import { loadModel } from 'llm-host';

await using model = await loadModel('demo');
const chat = model.chat();
const { cancelled } = await chat.send('Tell me a long story.', { signal: AbortSignal.timeout(20) });
console.log(cancelled, (await chat.send('What is the capital of France?')).text);
