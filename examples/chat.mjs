// A conversation in the terminal; Ctrl+C ends a reply, Ctrl+D the conversation:
//   node chat.mjs [MODEL]
import { createInterface } from 'node:readline';
import { loadModel } from 'llm-host';

const model = await loadModel(process.argv[2] ?? 'demo');
const chat = model.chat({ system: 'You are friendly, and brief.' });
const terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: 'you> ' });
let stop = new AbortController();
terminal.on('SIGINT', () => stop.abort());

terminal.prompt();
for await (const line of terminal) {
  if (line.trim() !== '') {
    stop = new AbortController();
    for await (const event of chat.send(line, { signal: stop.signal })) {
      if (event.type === 'token') process.stdout.write(event.text);
    }
    process.stdout.write('\n');
  }
  terminal.prompt();
}
await model.close();
