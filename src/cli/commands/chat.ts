import { answerOnce } from '../answer-once.ts';
import type { ChatArguments } from '../chat-options.ts';
import { chatInJson } from '../json-chat.ts';
import { LineSession } from '../line-session.ts';
import type { OpenModel } from '../open-model.ts';
import type { Signals } from '../signals.ts';
import { startChat } from '../start-chat.ts';

/** `llm-host <model>`: start-up, then a chat on stdin and stdout, or one prompt. Returns the exit code. */
export async function chat(args: ChatArguments, openModel: OpenModel, signals: Signals): Promise<number> {
  if (args.json) return await chatInJson(args, openModel, signals);
  const started = await startChat(args, openModel);
  signals.addCleanup(started.close);
  try {
    if (!args.quiet) process.stderr.write([...started.summary, ''].join('\n'));
    for (const notice of started.notices) process.stderr.write(`${notice}\n`);
    const { session } = started;
    if (args.prompt !== undefined) return await answerOnce(session, args.prompt, signals);
    process.stdout.write("Ready. Type your prompt or 'quit' to exit.\n");
    return await new LineSession({ session, signals }).run();
  } finally {
    await started.close();
  }
}
