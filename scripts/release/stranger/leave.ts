import { loadModel } from 'llm-host';

const model = await loadModel('demo');
for await (const event of model.chat().send('Tell me a long story.')) {
  if (event.type === 'token') process.exit(7);
}
