import { join } from 'node:path';
import { messageOf } from '../../errors.ts';
import { formAsker } from '../../line/ask-form.ts';
import { stripControls } from '../../text/strip-controls.ts';
import type { EditorEffect } from '../../tui/editor.ts';
import type { Footer } from '../../tui/layout.ts';
import { PromptHistory } from '../../tui/prompt-history.ts';
import { Screen } from '../../tui/screen.ts';
import { chooseTheme } from '../../tui/theme.ts';
import { BUILTINS, runBuiltin } from '../builtins/table.ts';
import { divertOutput } from '../process/divert-output.ts';
import { readLine, shareTerminal } from '../process/questions.ts';
import type { Signals } from '../process/signals.ts';
import { stateDirectory } from '../settings/lookup.ts';
import type { ChatSession } from './chat-session.ts';

/** A second Ctrl+C within this time ends the program. */
const SECOND_INTERRUPT_MS = 2000;

export interface ScreenSessionOptions {
  readonly session: ChatSession;
  readonly signals: Signals;
  readonly colors: boolean;
  readonly theme: string | undefined;
}

/** The chat on the Ink screen: prompts from the keyboard, turns one after another. Ends with the exit code. */
export class ScreenSession {
  readonly #options: ScreenSessionOptions;
  readonly #screen: Screen;
  #queue: readonly string[] = [];
  #working = false;
  #stopped = false;
  #turn: AbortController | undefined;
  #interruptedAt = Number.NEGATIVE_INFINITY;
  #lend: () => () => void = () => () => undefined;
  #leave: (code: number) => void = () => undefined;
  #fail: (error: unknown) => void = () => undefined;

  constructor(options: ScreenSessionOptions) {
    this.#options = options;
    const { session } = options;
    const history = new PromptHistory(join(stateDirectory(process.env), 'history.jsonl'), message => {
      session.log.logger.warn(message);
      process.stderr.write(`Notice: ${message}\n`);
    });
    this.#screen = new Screen({
      input: process.stdin,
      output: process.stdout,
      env: process.env,
      theme: chooseTheme(options.theme, options.colors, process.env),
      history,
      footer: () => footerOf(session),
      candidates: () => ({
        commands: [...BUILTINS.flatMap(({ name, aliases }) => [name, ...aliases]), ...promptNames(session)],
        tools: session.tools.tools().map(tool => tool.definition.function.name),
        resources: resourceNames(session),
      }),
      onEffect: effect => this.#perform(effect),
    });
  }

  async run(): Promise<number> {
    const { signals, session } = this.#options;
    const ended = new Promise<number>((resolve, reject) => {
      this.#leave = resolve;
      this.#fail = reject;
    });
    const divert = () => divertOutput(line => session.log.logger.info({ stderr: true }, line));
    let restoreStderr = divert();
    const stop = () => {
      this.#stopped = true;
      shareTerminal(undefined);
      this.#screen.stop();
      restoreStderr();
    };
    this.#lend = () => {
      const resume = this.#screen.suspend();
      restoreStderr();
      return () => {
        if (this.#stopped) return;
        restoreStderr = divert();
        resume();
      };
    };
    shareTerminal(this.#lend);
    session.tools.setElicitation?.(
      formAsker({
        print: text => this.#screen.print(text.trimEnd()),
        ask: (prompt, signal) => readLine(prompt, false, signal),
      }),
    );
    signals.onLeave(stop);
    signals.onInterrupt(() => this.#interrupt());
    this.#screen.start();
    try {
      return await ended;
    } finally {
      this.#turn?.abort();
      stop();
      signals.onLeave(undefined);
    }
  }

  #perform(effect: EditorEffect | { readonly type: 'end' }): void {
    switch (effect.type) {
      case 'submit':
        this.#setQueue([...this.#queue, effect.text]);
        if (!this.#working) void this.#work().catch(this.#fail);
        break;
      case 'cancel':
        this.#turn?.abort();
        break;
      case 'interrupt':
        this.#interrupt();
        break;
      case 'suspend':
        this.#suspend();
        break;
      case 'expand':
        this.#screen.print(this.#options.session.results.step());
        break;
      default:
        this.#leave(0);
    }
  }

  /** Answers what waits, one after another. */
  async #work(): Promise<void> {
    this.#working = true;
    this.#screen.busy = true;
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      this.#setQueue(this.#queue.slice(1));
      if (await this.#handle(next)) return this.#leave(0);
    }
    this.#working = false;
    this.#screen.busy = false;
    this.#screen.draw();
  }

  /** Runs one input; true when it ends the session. */
  async #handle(text: string): Promise<boolean> {
    const { session } = this.#options;
    const builtin = await runBuiltin(text.trim(), session);
    if (!builtin) {
      await this.#runTurn(text);
      return false;
    }
    this.#screen.print(`prompt -> ${text}`);
    this.#screen.showThinking = session.showThinking;
    if (builtin.output) this.#screen.print(builtin.output);
    if (builtin.prompt !== undefined) await this.#runTurn(builtin.prompt);
    return builtin.quit === true;
  }

  async #runTurn(prompt: string): Promise<void> {
    this.#turn = new AbortController();
    this.#screen.begin(stripControls(prompt));
    try {
      const events = this.#options.session.turn(prompt, this.#turn.signal);
      for await (const event of events) this.#screen.event(event);
    } catch (error) {
      this.#screen.print(`Error: ${messageOf(error)}`);
      throw error;
    } finally {
      this.#turn = undefined;
      this.#screen.end();
    }
  }

  #setQueue(queue: readonly string[]): void {
    this.#queue = queue;
    this.#screen.queue = queue;
    this.#screen.draw();
  }

  /**
   * Back to the shell, until it brings the job to the foreground again. The signal goes to the whole job, as that of a
   * terminal does, so that a runner such as npm stops too; without a shell that could go on it has no effect.
   */
  #suspend(): void {
    if (process.platform === 'win32') return;
    const giveBack = this.#lend();
    process.kill(0, 'SIGTSTP');
    setImmediate(giveBack);
  }

  /** Busy: cancel the turn, and end on a second one within 2 s. Idle: end. */
  #interrupt(): void {
    const now = performance.now();
    const second = now - this.#interruptedAt < SECOND_INTERRUPT_MS;
    this.#interruptedAt = now;
    this.#turn?.abort();
    if (second || !this.#turn) this.#leave(0);
  }
}

/** What may follow a slash beside the commands. */
function promptNames({ tools }: ChatSession): readonly string[] {
  return (tools.control?.prompts() ?? []).map(({ server, name }) => stripControls(`${server}:${name}`));
}

/** As a prompt names them, `server:uri`; what has a blank in it cannot be named. */
function resourceNames({ tools }: ChatSession): readonly string[] {
  const resources = tools.control?.resources() ?? [];
  return resources
    .map(({ server, uri }) => stripControls(`${server}:${uri}`))
    .filter(name => !/\s/.test(name));
}

function footerOf(session: ChatSession): Footer {
  const { opened, tools, lastReply } = session;
  const servers = tools.servers();
  return {
    model: opened.name,
    device: opened.device,
    contextUsed: session.contextUsed,
    contextLength: opened.model.contextLength,
    rate:
      lastReply && lastReply.decodeMs > 0
        ? (lastReply.generatedTokens / lastReply.decodeMs) * 1000
        : undefined,
    tools: tools.tools().length,
    serversUp: servers.filter(server => server.state === 'ready').length,
    servers: servers.length,
  };
}
