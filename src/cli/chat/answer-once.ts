import { type ErrorCode, EXIT, LlmHostError } from '../../errors.ts';
import { LinePrinter } from '../../line/line-printer.ts';
import { readAll } from '../../text/piped-lines.ts';
import type { Signals } from '../process/signals.ts';
import type { ChatSession } from '../session/chat-session.ts';
import type { ChatPrompt } from '../session/last-prompt.ts';

const PATIENCE_MS = 2000;

/**
 * `-p`: only the answer on stdout, everything else on stderr. Piped stdin is appended to the prompt. Resolves with the
 * exit code, 77 if a call was refused; throws the turn's error.
 */
export async function answerOnce(session: ChatSession, text: string, signals: Signals): Promise<number> {
  const prompt = await promptWithPipe(text);
  const abort = new AbortController();
  signals.onInterrupt(() => {
    abort.abort();
    // The next one does not wait for a turn that hangs.
    signals.closing();
  });
  const printer = new LinePrinter({ answer: process.stdout, lines: process.stderr, label: false });
  let refused = false;
  let failure: LlmHostError | undefined;
  printer.begin();
  // To the end, also of a turn that failed: what follows its error is about the saved conversation.
  for await (const event of session.turn(prompt, abort.signal)) {
    if (event.type === 'tool_error' && event.refused) refused = true;
    if (event.type === 'error')
      failure = new LlmHostError(
        event.code as ErrorCode,
        event.message,
        event.hint ? { hint: event.hint } : {},
      );
    else printer.print(event);
  }
  printer.end();
  if (failure) throw failure;
  if (abort.signal.aborted) return 130;
  return refused ? EXIT.refused : 0;
}

/** The prompt, with piped stdin as its data. Throws LlmHostError USAGE if both are empty. */
export async function promptWithPipe(text: string): Promise<ChatPrompt> {
  const data = process.stdin.isTTY ? '' : (await readPiped()).trimEnd();
  if (text === '' && data === '') throw new LlmHostError('USAGE', 'the prompt is empty');
  return { text, data };
}

/** All of stdin. A pipe that stays open is not an error, but after a while the user sees what it is waiting for. */
async function readPiped(): Promise<string> {
  const waiting = setTimeout(
    () => process.stderr.write('Notice: waiting for the end of the piped input\n'),
    PATIENCE_MS,
  );
  try {
    return await readAll(process.stdin, notice => process.stderr.write(`Error: ${notice}\n`));
  } finally {
    clearTimeout(waiting);
  }
}
