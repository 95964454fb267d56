import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorCode, EXIT, LlmHostError, messageOf } from '../../errors.ts';
import { EventWriter } from '../../json/event-writer.ts';
import { EVENTS_VERSION } from '../../json/events.ts';
import { parseRequest } from '../../json/json-input.ts';
import type { OpenModel } from '../../run/open-model.ts';
import { pipedLines } from '../../text/piped-lines.ts';
import type { ChatArguments } from '../options/option-table.ts';
import { VERSION } from '../process/app.ts';
import type { Signals } from '../process/signals.ts';
import type { ChatSession } from '../session/chat-session.ts';
import type { ChatPrompt } from '../session/last-prompt.ts';
import { promptWithPipe } from './answer-once.ts';
import { type StartedChat, startChat } from './start-chat.ts';
import { TurnLoop } from './turn-loop.ts';

/** How long the last event waits for a cancelled turn to tell of its end: longer than the session does. */
const TELL_MS = 1200;

/** `--json`: the whole run as events on stdout, from `start` to `end`, including errors of the start-up. */
export async function chatInJson(
  args: ChatArguments,
  openModel: OpenModel,
  signals: Signals,
): Promise<number> {
  const writer = new EventWriter(process.stdout);
  let started: StartedChat | undefined;
  // However the program ends, and even if closing hangs.
  signals.addCleanup(async code => {
    const closed = started?.close();
    await Promise.race([closed, sleep(TELL_MS, undefined, { ref: false })]);
    await writer.end(code);
    await closed;
  });
  await writer.write({
    type: 'start',
    version: EVENTS_VERSION,
    program: VERSION,
    model: args.model ?? '',
  });
  try {
    started = await startChat(args, openModel);
    let code: number;
    try {
      code = await converse(args, started, signals, writer);
    } finally {
      signals.closing();
      await started.close();
    }
    await writer.end(code);
    return code;
  } catch (error) {
    const known = error instanceof LlmHostError ? error : undefined;
    const hint = known?.hint === undefined ? {} : { hint: known.hint };
    await writer.write({
      type: 'error',
      code: known?.code ?? 'UNEXPECTED',
      message: messageOf(error),
      ...hint,
    });
    await writer.end(known?.exitCode ?? EXIT.unexpected);
    throw error;
  }
}

async function converse(
  args: ChatArguments,
  { session, notices }: StartedChat,
  signals: Signals,
  writer: EventWriter,
): Promise<number> {
  const { opened, tools } = session;
  await writer.write({
    type: 'ready',
    model: opened.name,
    device: opened.device,
    contextLength: opened.model.contextLength,
    tools: tools.tools().length,
    servers: tools.servers().map(({ name, state, tools: count }) => ({ name, state, tools: count })),
  });
  for (const message of notices) await writer.write({ type: 'notice', message });
  const json = new JsonSession({ session, signals, writer });
  return args.prompt === undefined ? await json.run() : await json.once(await promptWithPipe(args.prompt));
}

/** Prompts that wait while a turn runs; more are refused. */
const MAX_QUEUED = 1000;

interface JsonSessionOptions {
  readonly session: ChatSession;
  readonly signals: Signals;
  readonly writer: EventWriter;
}

/** The chat in JSON mode: requests on stdin, events on stdout. Resolves with the exit code. */
class JsonSession {
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
