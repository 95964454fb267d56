import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Answer } from '../answer.ts';
import type { ConversationFault } from '../score/conversation-fault.ts';
import { pythonOf, type Services, scriptArguments } from './services.ts';

/** Milliseconds for the calls of a conversation, each of which has run before. */
const LIMIT_MS = 60_000;

interface ScorerProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  /** Takes the next line of the process; undefined: it has ended. */
  onLine: (line: string | undefined) => void;
}

/** Judges conversations in a process that runs their calls and the right ones, each on services of its own. */
export class ConversationScorer {
  readonly #services: Services;
  readonly #limitMs: number;
  #process: ScorerProcess | undefined;

  constructor(services: Services, limitMs = LIMIT_MS) {
    this.#services = services;
    this.#limitMs = limitMs;
  }

  /** One at a time. An answer that ends the process, or takes too long, is `not scored`. */
  async fault({ id, turns = [] }: Pick<Answer, 'id' | 'turns'>): Promise<ConversationFault | undefined> {
    this.#process ??= this.#start();
    const running = this.#process;
    const line = await new Promise<string | undefined>(resolve => {
      const timer = setTimeout(resolve, this.#limitMs, undefined);
      running.onLine = text => {
        clearTimeout(timer);
        resolve(text);
      };
      running.child.stdin.write(`${JSON.stringify({ id, turns })}\n`);
    });
    const fault = readFault(line);
    if (fault === 'not scored') this.close();
    return fault ?? undefined;
  }

  /** Idempotent; another answer starts another process. */
  close(): void {
    this.#process?.child.kill('SIGKILL');
    this.#process = undefined;
  }

  #start(): ScorerProcess {
    const child = spawn(pythonOf(this.#services), scriptArguments(this.#services, 'score'), {
      env: this.#services.env,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const started: ScorerProcess = { child, onLine: () => undefined };
    const end = () => {
      // The next answer would wait for it in vain.
      if (this.#process === started) this.#process = undefined;
      started.onLine(undefined);
    };
    child.on('error', end).on('close', end);
    // What it does not read is lost with it.
    child.stdin.on('error', () => undefined);
    createInterface({ input: child.stdout }).on('line', line => started.onLine(line));
    return started;
  }
}

/** null: nothing is wrong. */
function readFault(line: string | undefined): ConversationFault | null {
  try {
    return (JSON.parse(line ?? '') as { fault: ConversationFault | null }).fault;
  } catch {
    return 'not scored';
  }
}

/** The same answers, conversations with what is wrong with them. An abort leaves that of now and those to come as they are. */
export async function scoredConversations(
  answers: readonly Answer[],
  scorer: ConversationScorer,
  signal: AbortSignal,
): Promise<Answer[]> {
  const stop = () => scorer.close();
  signal.addEventListener('abort', stop);
  const scored: Answer[] = [];
  try {
    for (const answer of answers) {
      const open = answer.turns !== undefined && answer.fault === undefined && answer.error === undefined;
      const fault = open && !signal.aborted ? await scorer.fault(answer) : undefined;
      // The abort ends the process, which says nothing about the answer.
      scored.push(fault === undefined || signal.aborted ? answer : { ...answer, fault });
    }
  } finally {
    signal.removeEventListener('abort', stop);
    scorer.close();
  }
  return scored;
}
