import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { loadModel } from 'llm-host';

if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url));
  worker.on('message', text => console.log(text));
} else {
  await using model = await loadModel('demo');
  parentPort?.postMessage((await model.chat().send('What is the capital of France?')).text);
}
