import type { EventWriter } from '../../json/event-writer.ts';
import { type JsonRequest, parseRequest } from '../../json/json-input.ts';
import { pipedLines } from '../../text/piped-lines.ts';
import { runBuiltin } from '../builtins/table.ts';
import type { Signals } from '../process/signals.ts';
import type { ChatSession } from './chat-session.ts';

/** Prompts that wait while a turn runs; more are refused. */
const MAX_QUEUED = 1000;

export interface JsonSessionOptions {
  readonly session: ChatSession;
  readonly signals: Signals;
  readonly writer: EventWriter;
}

/** The chat in JSON mode: requests on stdin, events on stdout. Ends with the exit code. */
export class JsonSession {
  readonly #options: JsonSessionOptions;
  readonly #queue: Extract<JsonRequest, { text: string }>[] = [];
  #inputEnded = false;
  #wake: (() => void) | undefined;
  #turn: AbortController | undefined;
  #leave: ((code: number) => void) | undefined;

  constructor(options: JsonSessionOptions) {
    this.#options = options;
  }

  run(): Promise<number> {
    const left = new Promise<number>(resolve => {
      this.#leave = resolve;
    });
    this.#options.signals.onInterrupt(() => {
      this.#turn?.abort();
      this.#leave?.(this.#turn ? 130 : 0);
    });
    const read = this.#read();
    return Promise.race([left, read.then(() => new Promise<never>(() => undefined)), this.#answerAll()]);
  }

  /** One prompt (`-p`), then the end. */
  async once(prompt: string): Promise<number> {
    this.#options.signals.onInterrupt(() => this.#turn?.abort());
    return (await this.#runTurn(prompt)) ? 0 : 1;
  }

  async #read(): Promise<void> {
    for await (const line of pipedLines(process.stdin)) {
      const request = parseRequest(line);
      if (!request) continue;
      if (request.type === 'cancel') this.#turn?.abort();
      else if (request.type === 'invalid') await this.#refuse(request.message);
      else if (this.#queue.length >= MAX_QUEUED)
        await this.#refuse(`${MAX_QUEUED} prompts are waiting already`);
      else this.#queue.push(request);
      this.#wake?.();
    }
    this.#inputEnded = true;
    this.#wake?.();
  }

  async #answerAll(): Promise<number> {
    while (true) {
      const request = this.#queue.shift();
      if (request === undefined) {
        if (this.#inputEnded) return 0;
        await new Promise<void>(resolve => {
          this.#wake = resolve;
        });
      } else if (request.type === 'prompt') await this.#runTurn(request.text);
      else if (await this.#handle(request.text)) return 0;
    }
  }

  async #handle(text: string): Promise<boolean> {
    const builtin = await runBuiltin(text.trim(), this.#options.session);
    if (builtin?.output) await this.#options.writer.write({ type: 'notice', message: builtin.output });
    if (builtin?.quit) return true;
    const prompt = builtin ? builtin.prompt : text;
    if (prompt !== undefined) await this.#runTurn(prompt);
    return false;
  }

  /** False when the turn ended in an error. */
  async #runTurn(prompt: string): Promise<boolean> {
    const { session, writer } = this.#options;
    this.#turn = new AbortController();
    let fine = true;
    await writer.write({ type: 'user', text: prompt });
    try {
      for await (const event of session.turn(prompt, this.#turn.signal)) {
        if (event.type === 'error') fine = false;
        await writer.write(event);
      }
    } finally {
      this.#turn = undefined;
    }
    return fine;
  }

  #refuse(message: string): Promise<void> {
    return this.#options.writer.write({ type: 'error', code: 'USAGE', message });
  }
}
