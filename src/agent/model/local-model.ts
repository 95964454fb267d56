import type { TokenEvent } from '../../engine/engine.ts';
import type { EngineJob, JobEngine } from '../../engine/engine-job.ts';
import { LlmHostError } from '../../errors.ts';
import { constrainedGeneration } from '../../grammar/constrained-generation.ts';
import type { ReplyConstraint } from '../../grammar/constrained-reply.ts';
import type { GrammarEngine } from '../../grammar/grammar-engine.ts';
import { canConstrain, replyConstraint } from '../../grammar/reply-constraint.ts';
import type { ParseEvent, ReplyParser } from '../../parse/types/parse-event.ts';
import { firstSamplingProblem } from '../../text/sampling/problem.ts';
import { toldTokens } from '../../tokens/estimated-tokens.ts';
import { tokenPiece } from '../../tokens/token-piece.ts';
import type { Tokenizer } from '../../tokens/tokenizer-types.ts';
import type { ReplyStats, TokenLogprob } from '../events/turn-event.ts';
import { CallProtocol, type CallProtocolOptions } from './call-protocol.ts';
import type { ChatModel, PromptRequest, ReplyEvent, ReplyRequest, ThinkingOutcome } from './chat-model.ts';
import { EarlyEnd } from './early-end.ts';
import { type Prompt, PromptBuilder, type PromptBuilderParts } from './prompt-builder.ts';
import { ThoughtLimit } from './thought-limit.ts';

export interface LocalModelParts extends PromptBuilderParts, CallProtocolOptions {
  readonly engine: JobEngine;
  /** Constrains replies; undefined: `constrainCalls` and `responseFormat` are not available. */
  readonly grammar?: GrammarEngine;
  /** End a reply that repeats itself without end. Default true. */
  readonly repetitionGuard?: boolean | undefined;
  /** The adapters' traits, see `AdapterTraits`. */
  readonly callConfidence?: number | undefined;
  readonly lookUpFirst?: boolean | undefined;
}

/** Chat over an engine in this process: messages -> template -> ids -> engine -> text -> parser. */
export class LocalChatModel implements ChatModel {
  readonly #parts: LocalModelParts;
  readonly #protocol: CallProtocol;
  readonly #prompts: PromptBuilder;

  constructor(parts: LocalModelParts) {
    this.#parts = parts;
    this.#protocol = new CallProtocol(parts.template?.source ?? '', parts);
    this.#prompts = new PromptBuilder(parts, this.#protocol);
  }

  get name(): string {
    return this.#parts.engine.info.name;
  }

  get contextLength(): number {
    return this.#parts.engine.info.contextLength;
  }

  get parameters(): number {
    return this.#parts.engine.info.parameters;
  }

  get canConstrain(): boolean {
    return this.#parts.grammar !== undefined && canConstrain(this.#protocol.parsedFormat);
  }

  get canFollowFormat(): boolean {
    return this.#parts.grammar !== undefined;
  }

  get withdrawsCalls(): boolean {
    return this.#callConfidence > 0;
  }

  get looksUpFirst(): boolean {
    return this.#parts.lookUpFirst ?? false;
  }

  get limitsThinking(): boolean {
    return this.#protocol.parsedFormat !== undefined;
  }

  writeCall(name: string, args: Readonly<Record<string, unknown>>): string {
    return this.#protocol.writeCall(name, args);
  }

  callSettled(worked: boolean): void {
    if (this.#protocol.settle(worked)) this.#prompts.forget();
  }

  takeNotices(): readonly string[] {
    return this.#parts.engine.takeNotices?.() ?? [];
  }

  setThinking(on: boolean): ThinkingOutcome {
    return this.#prompts.setThinking(on);
  }

  countTokens(request: PromptRequest): number {
    return this.#prompts.count(request);
  }

  async *reply(request: ReplyRequest): AsyncGenerator<ReplyEvent, ReplyStats> {
    const { engine, tokenizer, repetitionGuard = true } = this.#parts;
    const prompt = this.#prompts.take(request);
    const tail = prompt.segments.at(-1)?.text ?? '';
    const forced = this.#protocol.forcedStart(request, tail);
    const newParser = () => this.#protocol.parser(request, tail);
    const parser = newParser();
    const problem = firstSamplingProblem(request.sampling);
    if (problem) throw new LlmHostError('USAGE', problem);
    const { stop = [], ...sampling } = request.sampling;
    const { signal, singleCall = false } = request;
    const end = new EarlyEnd({ stop, repetitionGuard, singleCall, signal });
    const generation: EngineJob = {
      promptIds: this.#promptIds(prompt, forced),
      ...(engine.info.wantsCheckpoints && { checkpoints: this.#prompts.checkpoints(prompt) }),
      ...(engine.info.keepsPrefixes && { sharedTokens: this.#prompts.sharedTokens(prompt) }),
      continuesText: request.text !== undefined,
      ...(engine.info.adaptersOptional && { adapted: this.#usesTools(request) }),
      ...sampling,
      logprobs: request.logprobs,
      callStart: this.#callStart(request),
      signal: end.signal,
    };
    const constraint = await this.#constraint(request, forced, newParser);
    const limit = this.#thoughtLimit(request, tail);
    const limited = limit
      ? { info: engine.info, events: (job: EngineJob) => limit.events(engine, job) }
      : engine;
    const events = constraint
      ? constrainedGeneration(limited, generation, constraint)
      : limited.events(generation);
    const logprobs = new ContentLogprobs(tokenizer);
    yield* end.keep(parser.push(forced));
    try {
      for (let step = await events.next(); ; step = await events.next()) {
        if (step.done) {
          yield* logprobs.with(end.keep(parser.push(end.rest())));
          // An unclosed call is completed only if the model itself ended the reply.
          const finished = step.value.finishReason === 'stop' && !end.reached;
          yield* logprobs.with(end.keep(parser.end({ finished })));
          return { ...end.statsOf(step.value), ...(limit && { thinkingTokens: limit.tokens }) };
        }
        if (step.value.type === 'prefill') {
          yield step.value;
          continue;
        }
        if (end.reached) continue;
        const { token } = step.value;
        const text = end.push(token);
        logprobs.add(token);
        yield* logprobs.with(end.keep(parser.push(text)));
      }
    } finally {
      // A reader that leaves early ends the generation too.
      end.abort();
      await events.return?.(undefined as never);
    }
  }

  /** Whether tools are listed or were; a text that is continued may list them in a form of its own. */
  #usesTools({ tools, messages, text }: ReplyRequest): boolean {
    return text !== undefined || tools.length > 0 || messages.some(({ role }) => role === 'tool');
  }

  /** Keeps the reply's thoughts within their budget; undefined: there is none. */
  #thoughtLimit({ thinkingBudget, text }: ReplyRequest, prompt: string): ThoughtLimit | undefined {
    if (thinkingBudget === undefined || text !== undefined) return undefined;
    const { tokenizer } = this.#parts;
    const marks = this.#protocol.parsedFormat?.thinking ?? [];
    const encode = (written: string) => tokenizer.encode(written, { special: true });
    return new ThoughtLimit({ budget: thinkingBudget, marks, prompt, encode });
  }

  /** @throws LlmHostError CONTEXT_FULL if not even one token could follow. */
  #promptIds({ ids, tokens: promptTokens }: Prompt, forced: string): readonly number[] {
    const start = forced === '' ? [] : this.#parts.tokenizer.encode(forced, { special: true });
    const tokens = promptTokens + start.length;
    if (tokens >= this.contextLength) throw contextFull(tokens, this.contextLength);
    return start.length === 0 ? ids : [...ids, ...start];
  }

  get #callConfidence(): number {
    return this.#parts.callConfidence ?? 0;
  }

  /** The token that a call would begin with, where that has to be likely. */
  #callStart(request: ReplyRequest): EngineJob['callStart'] {
    if (!this.withdrawsCalls) return undefined;
    const [token] = this.#parts.tokenizer.encode(this.#protocol.callStart(request), { special: true });
    return token === undefined ? undefined : { token, confidence: this.#callConfidence };
  }

  /** The constraint of a reply that starts with `forced`; undefined: there is none. */
  async #constraint(
    { responseFormat, toolChoice = 'auto', ...request }: ReplyRequest,
    forced: string,
    newParser: () => ReplyParser,
  ): Promise<ReplyConstraint | undefined> {
    const { grammar, tokenizer } = this.#parts;
    if (responseFormat && !grammar) {
      throw new LlmHostError('MODEL_UNSUPPORTED', `${this.name} does not support response formats`);
    }
    const chosen = typeof toolChoice === 'object' ? toolChoice.name : undefined;
    const tools = request.tools.filter(tool => chosen === undefined || tool.function.name === chosen);
    const asked = request.constrainCalls === true || toolChoice !== 'auto';
    const constrainCalls = asked && tools.length > 0 && request.text === undefined && this.canConstrain;
    if (!grammar || (!constrainCalls && !responseFormat)) return undefined;
    return await replyConstraint({
      grammar,
      tokenizer,
      format: this.#protocol.parsedFormat,
      tools,
      constrainCalls,
      responseFormat,
      prefix: forced,
      newParser,
    });
  }
}

function contextFull(tokens: number, contextLength: number): LlmHostError {
  return new LlmHostError(
    'CONTEXT_FULL',
    `The prompt has ${toldTokens(tokens, contextLength)} tokens, but the context holds ${contextLength}`,
    {
      hint: 'Shorten the prompt, type "clear" to start over, or raise --context.',
    },
  );
}

/** Holds the log-probabilities of tokens until the parser returns their content. */
export class ContentLogprobs {
  readonly #tokenizer: Pick<Tokenizer, 'decode' | 'bytesOf'>;
  #waiting: TokenLogprob[] = [];

  constructor(tokenizer: Pick<Tokenizer, 'decode' | 'bytesOf'>) {
    this.#tokenizer = tokenizer;
  }

  /** Ignores tokens without log-probabilities. */
  add({ id, logprob, topLogprobs = [] }: TokenEvent): void {
    if (logprob === undefined) return;
    const top = topLogprobs.map(one => ({ ...tokenPiece(this.#tokenizer, one.id), logprob: one.logprob }));
    this.#waiting.push({ ...tokenPiece(this.#tokenizer, id), logprob, top });
  }

  /** Attaches them to the first content event; if the tokens became something else, it is dropped. */
  *with(events: readonly ParseEvent[]): Generator<ReplyEvent> {
    for (const event of events) {
      const logprobs = this.#waiting;
      if (logprobs.length === 0) yield event;
      else yield event.type === 'content' ? { ...event, logprobs } : event;
      this.#waiting = [];
    }
  }
}
