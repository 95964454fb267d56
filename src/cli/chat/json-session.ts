import { type ErrorCode, EXIT, LlmHostError } from '../../errors.ts';
import type { EventWriter } from '../../json/event-writer.ts';
import { parseRequest } from '../../json/json-input.ts';
import { pipedLines } from '../../text/piped-lines.ts';
import type { Signals } from '../process/signals.ts';
import type { ChatSession } from '../session/chat-session.ts';
import type { ChatPrompt } from '../session/last-prompt.ts';
import { TurnLoop } from './turn-loop.ts';

/** Prompts that wait while a turn runs; more are refused. */
const MAX_QUEUED = 1000;

export interface JsonSessionOptions {
  readonly session: ChatSession;
  readonly signals: Signals;
  readonly writer: EventWriter;
}

/** The chat in JSON mode: requests on stdin, events on stdout. Resolves with the exit code. */
export class JsonSession {
  readonly #writer: EventWriter;
  readonly #loop: TurnLoop;
  #refused = false;
  /** The exit code of the last error that ended a turn. */
  #failure: number = EXIT.unexpected;

  constructor({ session, signals, writer }: JsonSessionOptions) {
    this.#writer = writer;
    this.#loop = new TurnLoop({
      session,
      signals,
      keyboard: false,
      reader: {
        begin: prompt => writer.write({ type: 'user', text: prompt }),
        event: event => {
          if (event.type === 'tool_error' && event.refused) this.#refused = true;
          if (event.type === 'error')
            this.#failure = new LlmHostError(event.code as ErrorCode, event.message).exitCode;
          return writer.write(event);
        },
        end: () => undefined,
        builtin: async (_typed, output) => {
          if (output !== '') await writer.write({ type: 'notice', message: output });
        },
      },
    });
  }

  run(): Promise<number> {
    return this.#loop.run(() => this.#read());
  }

  /** Answers the prompt of `-p`. Resolves with the exit code, the same as without JSON; 77 if a call was refused. */
  async once(prompt: ChatPrompt): Promise<number> {
    const outcome = await this.#loop.once(prompt);
    if (outcome === 'failed') return this.#failure;
    if (outcome === 'cancelled') return 130;
    return this.#refused ? EXIT.refused : EXIT.ok;
  }

  async #read(): Promise<void> {
    for await (const line of pipedLines(process.stdin)) {
      const request = parseRequest(line);
      if (!request) continue;
      if (request.type === 'cancel') this.#loop.cancel();
      else if (request.type === 'invalid') await this.#refuse(request.message);
      else if (this.#loop.queueLength >= MAX_QUEUED)
        await this.#refuse(`${MAX_QUEUED} prompts are waiting already`);
      else this.#loop.submit({ text: request.text, promptOnly: request.type === 'prompt' });
    }
    await this.#loop.idle();
  }

  #refuse(message: string): Promise<void> {
    return this.#writer.write({ type: 'error', code: 'USAGE', message });
  }
}
