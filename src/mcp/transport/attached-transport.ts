import { setTimeout as sleep } from 'node:timers/promises';
import type { DiscoverResult, JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isPlainObject } from '../../text/json/plain-object.ts';
import type { ServerTransport } from './server-transport.ts';

/** How the SDK names its question for the newer era. */
const PROBE_ID = 'server-discover-probe-';
const PING_ID = 'llm-host-ping';
/** The limit of messages that a server sends before it is greeted. */
const MAX_HELD = 100;

/**
 * A local server as the SDK's client sees it until it is known which era it speaks. The SDK takes a server that is silent
 * for a while for one of the older era; this notices the answer of one that merely was slow to start, and survives the
 * client's closing, so that the same process can be spoken to in the newer one. Messages that the server sends before
 * it is greeted, which the SDK drops, are kept until then. A ping goes ahead of the question: what has answered it is up, and
 * silent because of the question; what has answered nothing at all is slow to start.
 */
export class AttachedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** See StdioTransport. */
  readonly stderr = null;

  readonly #transport: ServerTransport;
  readonly #onLate: () => void;
  #started: Promise<void> | undefined;
  #isUp = false;
  /** Resolves when the question is answered; undefined before it is asked. */
  #answered: Promise<void> | undefined;
  #markAnswered: () => void = () => {};
  #greeted = false;
  #held: JSONRPCMessage[] = [];
  #lateAnswer: DiscoverResult | undefined;

  /** `onLate`: the server has answered that it speaks the newer era after it was taken for an older one. */
  constructor(transport: ServerTransport, onLate: () => void) {
    this.#transport = transport;
    this.#onLate = onLate;
    transport.onmessage = message => this.#take(message);
    transport.onerror = error => this.onerror?.(error);
    transport.onclose = () => this.onclose?.();
  }

  get pid(): number | undefined {
    return this.#transport.pid;
  }

  /** Whether the ping was answered, be it with an error. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** The late answer, as it was sent, once the question is answered or `waitMs` are over. */
  async lateAnswer(waitMs: number): Promise<DiscoverResult | undefined> {
    await Promise.race([this.#answered, sleep(waitMs, undefined, { ref: false })]);
    return this.#lateAnswer;
  }

  start(): Promise<void> {
    this.#started ??= this.#transport.start();
    return this.#started;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const isQuestion = 'method' in message && message.method === 'server/discover';
    if (isQuestion && this.#answered === undefined) {
      this.#answered = new Promise(resolve => {
        this.#markAnswered = resolve;
      });
      // In the words of the newer era: without them a server of both would take itself for spoken to in the older one.
      await this.#transport.send({ ...message, id: PING_ID, method: 'ping' });
    }
    await this.#transport.send(message);
    if (this.#greeted || isQuestion) return;
    this.#greeted = true;
    for (const held of this.#held.splice(0)) this.onmessage?.(held);
  }

  /** Lets go of the server, which goes on. */
  async close(): Promise<void> {
    this.onclose?.();
    // The next connection of the client would otherwise pass every message on to this one's handlers too.
    delete this.onclose;
    delete this.onerror;
    delete this.onmessage;
  }

  #take(message: JSONRPCMessage): void {
    if (!('method' in message) && message.id === PING_ID) {
      this.#isUp = true;
      return;
    }
    if (isAnswer(message)) this.#markAnswered();
    if (!this.#greeted && 'method' in message && !('id' in message)) {
      if (this.#held.length < MAX_HELD) this.#held.push(message);
      return;
    }
    if (this.#greeted && isAnswer(message) && tellsVersions(message)) {
      this.#lateAnswer = message.result as unknown as DiscoverResult;
      this.#onLate();
      return;
    }
    this.onmessage?.(message);
  }
}

/** To the question for the newer era. */
function isAnswer(message: JSONRPCMessage): boolean {
  return !('method' in message) && String(message.id).startsWith(PROBE_ID);
}

function tellsVersions(message: JSONRPCMessage): message is JSONRPCMessage & { result: object } {
  if (!('result' in message)) return false;
  return isPlainObject(message.result) && Array.isArray(message.result.supportedVersions);
}
