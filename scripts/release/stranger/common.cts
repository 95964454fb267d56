const { loadModel } = require('llm-host') as typeof import('llm-host');

void (async () => {
  const model = await loadModel('demo');
  console.log((await model.chat().send('What is the capital of France?')).text);
  await model.close();
})();
