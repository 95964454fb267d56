import { existsSync } from 'node:fs';
import type { ToolMetrics } from '../../agent/calls/metrics.ts';
import type { Compacted } from '../../agent/context/compact-turns.ts';
import type { ContextParts } from '../../agent/context/context-parts.ts';
import { errorEvent, type ReplyStats, type TurnEvent } from '../../agent/events/turn-event.ts';
import type { ToolOffer } from '../../agent/offer/tool-offer.ts';
import type { Conversation } from '../../agent/turn/conversation.ts';
import type { History } from '../../chat/history.ts';
import type { Message, ToolDefinition } from '../../chat/message.ts';
import { LlmHostError, messageOf } from '../../errors.ts';
import type { Patience, ToolHost } from '../../mcp/tool-host.ts';
import type { Log } from '../../run/log.ts';
import type { OpenedModel } from '../../run/open-model.ts';
import { type Attached, attachFiles } from '../attachments/attach-files.ts';
import type { ModelChangeHooks, ModelSwitch } from '../start/model-switch.ts';
import { type ChatPrompt, LastPrompt } from './last-prompt.ts';
import {
  readSession,
  type SavedSession,
  type SessionFolder,
  SessionKeeper,
  type SessionSummary,
  writeSession,
} from './saved-sessions.ts';
import { ContextUse, SessionTotals } from './session-figures.ts';
import { ToolResults } from './tool-results.ts';
import type { TurnLog } from './turn-log.ts';

export interface ChatSessionParts {
  readonly conversation: Conversation;
  readonly tools: ToolHost;
  readonly opened: OpenedModel;
  /** undefined: the model cannot be changed. */
  readonly modelSwitch?: ModelSwitch;
  readonly folder: SessionFolder;
  readonly log: Log;
  readonly turnLog: TurnLog;
  /** The system message as of now: it contains the instructions of servers, which come and go. */
  readonly systemText: () => string;
  /** A notice that needs the servers to be up; called with the first turn. */
  readonly lateNotice?: () => string | undefined;
  /** One prompt (`-p`), kept apart from chats. */
  readonly once?: boolean;
  /** `--think`, `--no-think`. */
  readonly thinking?: boolean | undefined;
  /** `--save`: also written after every turn, `/undo` and `/compact`. */
  readonly saveTo: string | undefined;
}

/** How long a turn waits for servers that have not come up yet: the first one longer, since most are on their way. */
const FIRST_PATIENCE: Patience = { quietMs: 3000, limitMs: 10_000, fromNow: true };
const PATIENCE: Patience = { quietMs: 1500, limitMs: 5000 };

/** One conversation, for screen, line mode and JSON mode alike: turns, figures and files. */
export class ChatSession {
  readonly #parts: ChatSessionParts;
  readonly #keeper: SessionKeeper;
  #begun = false;
  #systemText: string;
  #opened: OpenedModel;
  readonly totals = new SessionTotals();
  lastReply: ReplyStats | undefined;
  readonly #context = new ContextUse(() => this.#countContext());
  readonly results = new ToolResults();
  /** The numbered conversations that the user saw last: their numbers stay valid until the next list. */
  listed: readonly SessionSummary[] | undefined;
  /** For `/retry` and `/edit`. */
  readonly lastPrompt: LastPrompt;
  /** Whether the user wants this model and those to come to think; undefined: it is up to them. */
  thinking: boolean | undefined;
  /** Show the model's thinking in full instead of folded. */
  showThinking = false;

  constructor(parts: ChatSessionParts) {
    this.#parts = parts;
    const { folder, saveTo, log, once = false } = parts;
    this.#keeper = new SessionKeeper({ folder, once, saveTo, log, snapshot: () => this.snapshot() });
    this.#systemText = parts.systemText();
    this.#opened = parts.opened;
    this.thinking = parts.thinking;
    this.lastPrompt = new LastPrompt(parts.conversation.history);
  }

  get history(): History {
    return this.#parts.conversation.history;
  }

  get tools(): ToolHost {
    return this.#parts.tools;
  }

  /** Which of the tools the model is offered. */
  get offer(): ToolOffer {
    return this.#parts.conversation.offer;
  }

  get toolMetrics(): ToolMetrics {
    return this.#parts.conversation.metrics;
  }

  get opened(): OpenedModel {
    return this.#opened;
  }

  get folder(): SessionFolder {
    return this.#parts.folder;
  }

  get log(): Log {
    return this.#parts.log;
  }

  /** Tokens of context that the conversation takes; grows with a reply. 0 before the first prompt. */
  get contextUsed(): number {
    return this.#context.tokens;
  }

  #countContext(): number {
    if (!this.history.messages.some(({ role }) => role === 'user')) return 0;
    try {
      return this.contextParts().total;
    } catch {
      return 0; // the next turn reports why
    }
  }

  /** The parts of the next prompt with their tokens. */
  contextParts(): ContextParts {
    return this.#parts.conversation.contextParts();
  }

  /**
   * Runs one turn. The session is saved when the turn is over, however it ends; a last notice reports a `--save` file that
   * cannot be written.
   */
  turn(prompt: ChatPrompt, signal: AbortSignal): AsyncGenerator<TurnEvent> {
    const { conversation, turnLog } = this.#parts;
    return conversation.run(
      signal,
      stop => this.#turn(prompt, stop),
      event => turnLog.event(event),
    );
  }

  async *#turn(prompt: ChatPrompt, signal: AbortSignal): AsyncGenerator<TurnEvent> {
    if (this.closed) return;
    const { conversation, tools, turnLog, lateNotice } = this.#parts;
    turnLog.prompt(prompt.text);
    await tools.settled?.(this.#begun ? PATIENCE : FIRST_PATIENCE, signal);
    const late = this.#begun ? undefined : lateNotice?.();
    this.#begun = true;
    if (late !== undefined) yield { type: 'notice', message: late };
    const attached = this.#attach(prompt);
    if (attached instanceof LlmHostError) {
      this.#ended(prompt, this.history.messages);
      return yield errorEvent(attached);
    }
    for (const message of attached.notices) yield { type: 'notice', message };
    this.#followServers();
    const { text, naming, data = '' } = prompt;
    const before = this.history.messages;
    const rest = [data, attached.text].filter(Boolean).join('\n\n');
    let problem: string | undefined;
    try {
      for await (const event of conversation.answer({ text, naming, data: rest }, signal)) {
        this.#note(event);
        yield event;
      }
    } finally {
      this.#ended(prompt, before);
      problem = this.#keeper.keep();
    }
    if (problem !== undefined) yield { type: 'notice', message: problem };
  }

  #ended(prompt: ChatPrompt, before: readonly Message[]): void {
    if (!this.lastPrompt.ended(prompt, before)) this.#context.changed();
  }

  /** The files that the prompt names, or why they cannot be read. */
  #attach({ text, naming = text }: ChatPrompt): Attached | LlmHostError {
    const { tools } = this.#parts;
    try {
      return attachFiles(naming, {
        cwd: process.cwd(),
        servers: tools.servers().map(({ name }) => name),
        contextLength: this.#opened.model.contextLength,
      });
    } catch (error) {
      if (error instanceof LlmHostError) return error;
      throw error;
    }
  }

  clear(): void {
    this.#parts.conversation.clear();
    this.#beginAnother();
  }

  /** The history is another conversation now. */
  #beginAnother(): void {
    this.#keeper.begin();
    this.lastPrompt.forget();
    this.results.clear();
    this.tools.approvals?.endConversation();
    this.#changed();
  }

  /** Undoes a summary if nothing was said since, else the last turn. `problem`: `--save` could not be written. */
  undo(): { undone: 'summary' | 'turn' | 'nothing'; problem?: string | undefined } {
    const undone = this.history.undoSummary() ? 'summary' : this.history.undoTurn() ? 'turn' : 'nothing';
    if (undone === 'nothing') return { undone };
    if (undone === 'turn') this.lastPrompt.forget();
    this.#context.changed();
    return { undone, problem: this.#keeper.keep() };
  }

  /** A summary of all turns but the last; see `Conversation.summary`. */
  summary(signal: AbortSignal): ReturnType<Conversation['summary']> {
    const onReply = (stats: ReplyStats) => this.totals.note({ type: 'stats', stats, summary: true });
    return this.#parts.conversation.summary(signal, onReply);
  }

  /**
   * Puts a summary in the place of the oldest turns, which stay in the saved conversation. Returns the problem of `--save`,
   * if any.
   */
  compact(summary: Compacted): string | undefined {
    this.#parts.conversation.accept(summary);
    this.#changed();
    return this.#keeper.keep();
  }

  /**
   * Continues with another model; resolves with its notices. The present one stays if the other cannot be opened or is too
   * small for the conversation. Throws LlmHostError.
   */
  async changeModel(name: string, hooks: ModelChangeHooks): Promise<readonly string[]> {
    const { modelSwitch, conversation, tools } = this.#parts;
    if (modelSwitch === undefined) throw new LlmHostError('USAGE', 'the model cannot be changed here');
    const opened = await modelSwitch.open(name, hooks);
    try {
      hooks.signal.throwIfAborted();
      const definitions = conversation.offer.listedFor(opened.model, tools.tools(), this.history.messages);
      checkRoom(opened, this.history.messages, definitions);
    } catch (error) {
      await opened.close();
      throw error;
    }
    this.totals.changeModel(conversation.metrics);
    conversation.changeModel(opened.model);
    this.#opened = opened;
    this.#changed();
    await modelSwitch.use(opened);
    return opened.notices;
  }

  snapshot(): SavedSession {
    const { messages, summarized } = this.history;
    return {
      version: 1,
      model: this.#opened.name,
      created: this.#keeper.created.toISOString(),
      updated: new Date().toISOString(),
      messages,
      ...(summarized.length > 0 && { summarized }),
    };
  }

  save(path: string): void {
    writeSession(path, this.snapshot());
  }

  /** Saves the KV cache next to a saved conversation; a sentence for the user, if any. */
  keepCache(path: string): Promise<string | undefined> {
    return keepCache(this.#opened, path);
  }

  /** No turn begins any more: it is being closed. */
  get closed(): boolean {
    return this.#parts.conversation.closing.aborted;
  }

  /**
   * Called last. A turn that runs is cancelled and saved as far as it got; else `--save` also saves the KV cache, which
   * could take long.
   */
  async close(): Promise<void> {
    const { conversation, saveTo, log } = this.#parts;
    const turn = await conversation.close();
    if (turn === 'late') this.#keeper.keep();
    if (saveTo === undefined || turn !== 'none' || !this.lastReply) return;
    const said = await this.keepCache(saveTo);
    if (said !== undefined) log.logger.info(said);
  }

  /** Loads the KV cache saved with a conversation, if any. */
  restoreCache(path: string): Promise<string | undefined> {
    return restoreCache(this.#opened, path);
  }

  /** Replaces the conversation with a saved one; if that cannot be read, the present one stays. */
  load(path: string): SavedSession {
    const saved = readSession(path);
    this.history.replace(saved.messages, saved.summarized);
    this.#parts.conversation.forgetResults();
    this.#beginAnother();
    return saved;
  }

  /** Another system message, from the next turn on; undefined: none. */
  setSystem(content: string | undefined): void {
    this.history.setSystem(content);
    this.#changed();
  }

  /** The last reply's figures are no longer those of the conversation. */
  #changed(): void {
    this.lastReply = undefined;
    this.#context.changed();
  }

  /** Updates the system message for the next turn, unless it has been replaced (`/system`, a loaded conversation). */
  #followServers(): void {
    const before = this.#systemText;
    this.#systemText = this.#parts.systemText();
    const { messages } = this.history;
    const first = messages[0]?.role === 'system' ? messages[0] : undefined;
    if (this.#systemText === before || (first?.content ?? '') !== before) return;
    // An empty message is not none: some templates have a system message of their own in the place of none.
    this.history.setSystem(this.#systemText || undefined);
  }

  #note(event: TurnEvent): void {
    this.totals.note(event);
    if (event.type === 'tool_result') this.results.add(event.name, event.text);
    if (event.type === 'tool_error') this.results.add(event.name, event.message);
    if (event.type === 'stats' && !event.summary) this.lastReply = event.stats;
    this.#context.note(event);
  }
}

/** Throws LlmHostError CONTEXT_FULL for a model that cannot hold the conversation. */
function checkRoom(
  { model, name }: OpenedModel,
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
): void {
  const tokens = model.countTokens({ messages, tools });
  if (tokens <= model.contextLength) return;
  throw new LlmHostError(
    'CONTEXT_FULL',
    `the conversation takes ${tokens} tokens, and the context of ${name} is ${model.contextLength}`,
    { hint: '/compact makes it shorter, /clear forgets it.' },
  );
}

/** The file next to a saved conversation with its KV cache. */
const cacheFileOf = (path: string): string => `${path}.cache.safetensors`;

/**
 * Saves the KV cache next to a saved conversation. Resolves with a sentence for the user, undefined for a model without a
 * cache. If it fails, the conversation just has to be computed again.
 */
async function keepCache({ cache }: OpenedModel, path: string): Promise<string | undefined> {
  if (cache === undefined) return undefined;
  const file = cacheFileOf(path);
  try {
    const { tokens, bytes } = await cache.saveCache(file);
    return `The KV cache is saved in ${file} (${tokens} tokens, ${(bytes / 1e6).toFixed(1)} MB).`;
  } catch (error) {
    return `The KV cache is not saved: ${messageOf(error)}`;
  }
}

/** Loads the KV cache next to a saved conversation; a sentence for the user if there is one. */
async function restoreCache({ cache }: OpenedModel, path: string): Promise<string | undefined> {
  const file = cacheFileOf(path);
  if (cache === undefined || !existsSync(file)) return undefined;
  try {
    const { tokens } = await cache.loadCache(file);
    return `Its KV cache was loaded: ${tokens} tokens.`;
  } catch (error) {
    return `Its KV cache cannot be used, so the conversation is computed again: ${messageOf(error)}`;
  }
}
