import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { LocalChatModel } from '../../src/agent/model/local-model.ts';
import type { RequestTurnOptions } from '../../src/agent/requests/request-turn.ts';
import { RequestTurns } from '../../src/agent/requests/request-turns.ts';
import { probeTemplate } from '../../src/chat/capability.ts';
import { compileTemplate } from '../../src/chat/template.ts';
import type { EngineEvent, GenerateResult, TokenEvent } from '../../src/engine/engine.ts';
import { type EngineJob, type JobEngine, tokensOf } from '../../src/engine/engine-job.ts';
import { PendingApprovals } from '../../src/serve/http/approvals.ts';
import { GenerationQueue } from '../../src/serve/http/generation-queue.ts';
import { ServeMetrics } from '../../src/serve/http/metrics.ts';
import { DEFAULT_LIMITS, type RequestRecord, type ServeContext } from '../../src/serve/http/serve-context.ts';
import type { LoadedModel } from '../../src/serve/http/served-models.ts';
import { ModelPool, type OtherModels } from '../../src/serve/models/model-pool.ts';
import { createServer } from '../../src/serve/server.ts';
import type { Tokenizer } from '../../src/tokens/tokenizer-types.ts';
import { FakeHost } from '../agent/fakes.ts';

/** What the model says to a prompt; may wait, and look at the request. */
export type Script = (prompt: string, request: EngineJob) => string | AsyncIterable<string>;

/** One token per character: the stages around the engine are the real ones. */
export const tokenizer: Tokenizer = {
  vocabSize: 0x110000,
  bosToken: undefined,
  eosToken: undefined,
  encode: text => Array.from(text, character => character.codePointAt(0) as number),
  encodeSegments: segments => segments.flatMap(segment => tokenizer.encode(segment.text)),
  decode: ids => String.fromCodePoint(...ids),
  stream: () => ({ push: id => String.fromCodePoint(id), end: () => '' }),
  idOf: () => undefined,
};

/** An engine that says what a script says; like the real one it reuses the prefix of its last prompt. */
export class ScriptedEngine implements JobEngine {
  readonly info;
  readonly requests: EngineJob[] = [];
  /** Tokens made by all generations. */
  steps = 0;
  running = 0;
  mostRunning = 0;
  readonly #script: Script;
  #cache: readonly number[] = [];

  constructor(script: Script, contextLength = 20_000) {
    this.#script = script;
    this.info = {
      name: 'scripted',
      modelType: 'scripted',
      contextLength,
      vocabSize: 0x110000,
      parameters: 0,
      weightBytes: 0,
      device: 'none',
      wantsCheckpoints: false,
    };
  }

  generate(request: EngineJob): AsyncGenerator<TokenEvent, GenerateResult> {
    return tokensOf(this.events(request));
  }

  async *events(request: EngineJob): AsyncGenerator<EngineEvent, GenerateResult> {
    this.requests.push(request);
    this.running += 1;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    try {
      return yield* this.#generate(request);
    } finally {
      this.running -= 1;
    }
  }

  async *#generate(request: EngineJob): AsyncGenerator<EngineEvent, GenerateResult> {
    const promptIds = Array.from(request.promptIds);
    const parted = promptIds.findIndex((id, index) => this.#cache[index] !== id);
    const cached = Math.min(parted < 0 ? promptIds.length : parted, promptIds.length - 1);
    yield { type: 'prefill', done: promptIds.length, total: promptIds.length, cached };
    const said: number[] = [];
    const result = (finishReason: GenerateResult['finishReason']): GenerateResult => {
      this.#cache = [...promptIds, ...said];
      const timings = { firstTokenMs: 1, prefillMs: 1, decodeMs: 1 };
      const counts = { promptTokens: promptIds.length, cachedTokens: cached, generatedTokens: said.length };
      return { finishReason, ...counts, timings };
    };
    const written = this.#script(String.fromCodePoint(...promptIds), request);
    for await (const piece of typeof written === 'string' ? [written] : written) {
      for (const text of piece) {
        // As the real engine: what else the process has to do is done between tokens.
        if (this.steps % 50 === 49) await immediate();
        else await Promise.resolve();
        if (request.signal?.aborted) return result('cancelled');
        const id = text.codePointAt(0) as number;
        said.push(id);
        this.steps += 1;
        const logprob = { logprob: -0.5, topLogprobs: [{ id, logprob: -0.5 }] };
        yield { type: 'token', token: { id, text, ...(request.logprobs !== undefined && logprob) } };
        if (said.length === request.maxTokens) return result('length');
      }
    }
    return result(request.signal?.aborted ? 'cancelled' : 'stop');
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

export type ServeOptions = Partial<Omit<ServeContext, 'limits' | 'turns'>> & {
  readonly limits?: Partial<ServeContext['limits']>;
  readonly places?: number;
  readonly contextLength?: number;
  readonly turns?: Partial<RequestTurnOptions>;
  readonly template?: string;
  readonly callConfidence?: number;
  readonly others?: OtherModels;
};

type ModelOptions = Pick<ServeOptions, 'contextLength' | 'turns' | 'template' | 'callConfidence'>;

/** A model over a scripted engine. */
export function scriptedModel(id: string, script: Script, options: ModelOptions = {}) {
  const engine = new ScriptedEngine(script, options.contextLength);
  const source =
    options.template ??
    readFileSync(new URL('../../models/demo/chat_template.jinja', import.meta.url), 'utf8');
  const compiled = compileTemplate(source);
  const capability = probeTemplate(compiled);
  const renders = { count: 0 };
  // Each rendering reads the nodes once.
  const counted = {
    source,
    get nodes() {
      renders.count += 1;
      return (compiled as { nodes?: unknown }).nodes;
    },
  };
  const model = new LocalChatModel({
    engine,
    tokenizer,
    now: new Date(0),
    template: { compiled: counted, source, capability },
    callConfidence: options.callConfidence,
  });
  const loaded: LoadedModel = {
    model: {
      id,
      created: 1_700_000_000,
      family: 'scripted',
      parameters: 135_000_000,
      bytes: 97_000_000,
      quantization: '4-bit',
      format: 'gguf',
      template: source,
      contextLength: model.contextLength,
      vocabSize: engine.info.vocabSize,
      thinks: capability.thinking !== undefined,
    },
    tokenizer,
    turns: new RequestTurns({
      model,
      tools: new FakeHost({}),
      sampling: {},
      toolTimeoutMs: 5000,
      systemMessage: 'Be brief.',
      ...options.turns,
    }),
  };
  return { loaded, engine, renders, chat: model };
}

/** A server over a scripted engine, on a port of its own until the test ends. */
export async function serveScripted(script: Script, options: ServeOptions = {}) {
  const { loaded, engine, renders } = scriptedModel('org/scripted', script, options);
  const records: RequestRecord[] = [];
  const { limits, places, contextLength: _, turns: _turns, template: _template, others, ...rest } = options;
  const none: OtherModels = { list: () => [], open: () => Promise.reject(new Error('none')) };
  const context: ServeContext = {
    ...loaded,
    models: new ModelPool(loaded, others ?? none, { maxLoaded: 2 }),
    queue: new GenerationQueue(places ?? 64),
    metrics: new ServeMetrics(),
    access: { host: '127.0.0.1', allowedHosts: [], corsOrigins: [] },
    approvals: new PendingApprovals(),
    page: undefined,
    toolsPolicy: 'auto',
    limits: { ...DEFAULT_LIMITS, ...limits },
    stopping: new AbortController().signal,
    onRequest: record => records.push(record),
    ...rest,
  };
  const app = createServer(context);
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
  const { port } = app.server.address() as AddressInfo;
  return { app, engine, renders, records, context, port, url: `http://127.0.0.1:${port}` };
}

/** Waits until `done` is true. */
export async function until(done: () => boolean): Promise<void> {
  for (let tries = 0; !done(); tries += 1) {
    if (tries > 2000) throw new Error('it never became true');
    await sleep(5);
  }
}

/** The latest question in a prompt of the demo's template. */
export function question(prompt: string): string {
  return prompt.slice(prompt.lastIndexOf('<|im_start|>user\n') + 17).split('<|im_end|>', 1)[0] ?? '';
}

export const callText = (name: string, args: object): string =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
