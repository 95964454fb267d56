import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TurnEvent } from '../../agent/events/turn-event.ts';
import { type ErrorCode, EXIT, LlmHostError, messageOf } from '../../errors.ts';
import type { OpenModel } from '../../run/open-model.ts';
import { type PipedLine, pipedLines } from '../../text/piped-lines.ts';
import type { ChatArguments } from '../options/option-table.ts';
import { VERSION } from '../process/app.ts';
import type { Signals } from '../process/signals.ts';
import type { ChatSession } from '../session/chat-session.ts';
import type { ChatPrompt } from '../session/last-prompt.ts';
import { promptWithPipe } from './answer-once.ts';
import { type OpenChat, openChat } from './open-chat.ts';
import { TurnLoop } from './turn-loop.ts';

/** How long the last event waits for a cancelled turn to report its end: longer than the session does. */
const TELL_MS = 1200;

/** `--json`: the whole run as events on stdout, from `start` to `end`, including errors of the start-up. */
export async function chatInJson(
  args: ChatArguments,
  openModel: OpenModel,
  signals: Signals,
): Promise<number> {
  const writer = new EventWriter(process.stdout);
  let started: OpenChat | undefined;
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
    started = await openChat(args, openModel);
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
  { session, notices }: OpenChat,
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

/** A line on stdin, parsed. */
type JsonRequest =
  | { readonly type: 'prompt'; readonly text: string }
  /** A prompt or a built-in command, as if typed in the chat. */
  | { readonly type: 'line'; readonly text: string }
  | { readonly type: 'cancel' }
  | { readonly type: 'invalid'; readonly message: string };

/**
 * A line that begins with `{` is a request: `{"type":"prompt","text":"..."}`, whose text is never a command, or
 * `{"type":"cancel"}`. Any other line is handled as if typed in the chat. Undefined for an empty line.
 */
export function parseRequest({ text, notice }: PipedLine): JsonRequest | undefined {
  if (text.trim() === '') return undefined;
  if (notice !== undefined) return { type: 'invalid', message: notice };
  if (!text.trimStart().startsWith('{')) return { type: 'line', text };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { type: 'invalid', message: `The line is not valid JSON: ${(error as Error).message}` };
  }
  const request = value as { type?: unknown; text?: unknown };
  if (request.type === 'cancel') return { type: 'cancel' };
  if (request.type === 'prompt' && typeof request.text === 'string') {
    return { type: 'prompt', text: request.text };
  }
  return {
    type: 'invalid',
    message: 'A request is {"type":"prompt","text":"..."} or {"type":"cancel"}',
  };
}

/** Bumped when an event changes incompatibly. */
const EVENTS_VERSION = 1;

/** The events of the JSON stream besides a turn's own. All are described in docs/events.md and events.schema.json. */
type SessionEvent =
  /** The first event of every stream. */
  | { readonly type: 'start'; readonly version: number; readonly program: string; readonly model: string }
  /** Model and servers are up; prompts are accepted. */
  | {
      readonly type: 'ready';
      readonly model: string;
      readonly device: string;
      readonly contextLength: number;
      readonly tools: number;
      readonly servers: readonly { readonly name: string; readonly state: string; readonly tools: number }[];
    }
  /** A turn begins with this prompt. */
  | { readonly type: 'user'; readonly text: string }
  /** The last event of every stream. */
  | { readonly type: 'end'; readonly code: number };

type JsonEvent = TurnEvent | SessionEvent;

/** Writes one timestamped JSON event per line; waits for a slow reader to catch up. */
export class EventWriter {
  readonly #out: NodeJS.WritableStream;
  readonly #now: () => Date;
  #ended = false;

  constructor(out: NodeJS.WritableStream, now: () => Date = () => new Date()) {
    this.#out = out;
    this.#now = now;
  }

  /** Nothing, once the stream has ended. */
  async write(event: JsonEvent): Promise<void> {
    if (this.#ended) return;
    const { type, ...fields } = event;
    const line = JSON.stringify({ type, time: this.#now().toISOString(), ...fields });
    if (!this.#out.write(`${line}\n`)) await this.#drained();
  }

  /** Or the reader is gone, which the stream tells its other listeners: nothing more is written then. */
  async #drained(): Promise<void> {
    await once(this.#out, 'drain').catch(() => {
      this.#ended = true;
    });
  }

  /** The last event, unless there has been one. */
  async end(code: number): Promise<void> {
    const written = this.write({ type: 'end', code });
    this.#ended = true;
    await written;
  }
}
