import type { ChatModel } from '../agent/model/chat-model.ts';
import { LocalChatModel } from '../agent/model/local-model.ts';
import { PromptStyleChoice } from '../agent/model/prompt-style-choice.ts';
import { probeTemplate } from '../chat/capability.ts';
import { compileTemplate } from '../chat/template.ts';
import { Embedder } from '../embed/embedder.ts';
import { TextReader } from '../embed/text-reader.ts';
import { loadEncoder } from '../engine/encoder.ts';
import { type LoadedParts, loadRead, readSource } from '../engine/load-engine.ts';
import type { ModelOptions } from '../engine/model-options.ts';
import { LlmHostError } from '../errors.ts';
import { GrammarThread } from '../grammar/grammar-thread.ts';
import type { EncoderConfig } from '../model/encoder/encoder-config.ts';
import type { ReadModel } from '../model/load-model.ts';
import type { ModelFacts } from '../model/model-facts.ts';
import type { LocalSource } from '../model/model-source.ts';
import { notAChatModel } from '../model/not-a-chat-model.ts';
import { quantizationOf } from '../model/weights/quantization.ts';
import { addonNotices } from '../native/load-addon.ts';
import { chooseCallFormat } from '../parse/choose-call-format.ts';
import type { PromptStyle } from '../parse/formats/prompt-style.ts';
import { specialFrame } from '../tokens/special-frame.ts';
import type { OpenedModel, OpenModelOptions, TriedStyles } from './open-model.ts';

/** Loads a model into this process, ready to chat, or to embed texts if it is one for that. */
export async function openLocalModel(source: LocalSource, options: OpenModelOptions): Promise<OpenedModel> {
  const started = performance.now();
  if (options.shared) {
    const { loadShared } = await import('../distributed/leader/load-shared.ts');
    const { titles, ...parts } = await loadShared(source, options.shared, options);
    const opened = await openParts(parts, options, started);
    const { cache: _cache, ...rest } = opened;
    return { ...rest, description: `${opened.description}, shared with ${titles.join(', ')}` };
  }
  const found = await readSource(source, options);
  const { encoder } = found;
  if (encoder) return await openEmbedder({ ...found, encoder }, options);
  return await openParts(await loadRead(found, options), options, started);
}

async function openParts(
  parts: LoadedParts,
  options: OpenModelOptions,
  started: number,
): Promise<OpenedModel> {
  const { engine, read, tokenizer } = parts;
  if (!tokenizer) {
    await engine.close();
    throw new LlmHostError('MODEL_UNSUPPORTED', `${read.name} cannot chat: ${parts.tokenizerProblem}`);
  }
  const template = read.toolTemplate ?? read.chatTemplate;
  const grammar = makeGrammar(parts);
  const { adapters } = read.spec;
  const seconds = (performance.now() - started) / 1000;
  return {
    model: new LocalChatModel({
      engine,
      tokenizer,
      template: prepare(template, tokenizer),
      toolCalls: chooseCallFormat(read.tokenizerConfig ?? {}, template ?? '', options.toolFormats ?? []),
      toolProtocol: options.toolProtocol,
      promptStyle: options.promptStyle && styleFor(engine.info.name, options.promptStyle),
      grammar,
      repetitionGuard: options.repetitionGuard,
      callConfidence: Math.max(0, ...adapters.map(({ callConfidence = 0 }) => callConfidence)),
      lookUpFirst: adapters.some(({ lookUpFirst }) => lookUpFirst),
      now: new Date(),
    }),
    tokenizer,
    name: engine.info.name,
    device: engine.info.device,
    facts: factsOf(parts, template),
    description: describe(parts, seconds),
    notices: [
      ...addonNotices(),
      ...(template === undefined
        ? [`${read.name} has no chat template: a base model, which only continues your text.`]
        : []),
    ],
    cache: engine,
    close: async () => {
      await Promise.all([engine.close(), grammar?.close()]);
    },
  };
}

function factsOf({ engine, read }: LoadedParts, template: string | undefined): ModelFacts {
  const packed = read.spec.quantize ?? quantizationOf(read.name, read.spec.config);
  return {
    family: engine.info.modelType,
    parameters: read.parameters,
    vocabSize: engine.info.vocabSize,
    bytes: read.weightBytes,
    quantization: packed && `${packed.bits}-bit`,
    format: read.folder === undefined ? 'gguf' : 'safetensors',
    template: template ?? '',
    thinks: template !== undefined && probeTemplate(compileTemplate(template)).thinking !== undefined,
  };
}

/** Its thread starts with the first constrained reply. */
function makeGrammar({ engine, read, tokenizer }: LoadedParts): GrammarThread | undefined {
  const bytesOf = tokenizer?.bytesOf?.bind(tokenizer);
  const { vocabSize: size } = engine.info;
  // See MlxEngine: those that the model can say.
  const stopIds = read.stopIds.filter(id => id < size);
  return bytesOf && new GrammarThread({ size, bytesOf, stopIds });
}

function styleFor(model: string, style: PromptStyle | TriedStyles): PromptStyle | PromptStyleChoice {
  return 'memory' in style ? new PromptStyleChoice(model, style.styles, style.memory) : style;
}

function prepare(
  source: string | undefined,
  tokens: { bosToken: string | undefined; eosToken: string | undefined },
) {
  if (source === undefined) return undefined;
  const compiled = compileTemplate(source);
  const { bosToken, eosToken } = tokens;
  return { compiled, source, capability: probeTemplate(compiled, { bosToken, eosToken }) };
}

function describe({ engine, read }: LoadedParts, seconds: number): string {
  const millions = Math.round(read.parameters / 1e6);
  const megabytes = Math.round(read.weightBytes / 1e6);
  const { name, modelType, contextLength, device } = engine.info;
  return `${name}: ${modelType}, ${millions} M parameters, ${megabytes} MB, context ${contextLength}, on ${device}, loaded in ${seconds.toFixed(1)} s`;
}

/** Loads a model that turns texts into vectors, or ranks them. */
async function openEmbedder(
  read: ReadModel & { readonly encoder: EncoderConfig },
  options: Pick<ModelOptions, 'onProgress' | 'saveQuantized'>,
): Promise<OpenedModel> {
  const started = performance.now();
  const { encoder, tokenizer } = await loadEncoder(read, options);
  const { info } = encoder;
  const { kind, prompts, defaultPrompt } = read.encoder;
  const frame = specialFrame(read.tokenizer ?? {});
  const reader = new TextReader(tokenizer, frame, info.contextLength);
  const embedder = new Embedder({ encoder, reader, kind, prompts, defaultPrompt });
  const packed = read.spec.quantize ?? quantizationOf(read.name, read.spec.config);
  const seconds = (performance.now() - started) / 1000;
  return {
    model: silentModel(info),
    tokenizer,
    embedder,
    name: info.name,
    device: info.device,
    facts: {
      family: info.modelType,
      parameters: read.parameters,
      vocabSize: info.vocabSize,
      bytes: read.weightBytes,
      quantization: packed && `${packed.bits}-bit`,
      format: 'safetensors',
      template: '',
      thinks: false,
    },
    description: `${info.name}: ${info.modelType}, ${what(embedder)}, texts of ${info.contextLength} tokens, on ${info.device}, loaded in ${seconds.toFixed(1)} s`,
    notices: addonNotices(),
    close: () => embedder.close(),
  };
}

function what({ isReranker, dimensions }: Embedder): string {
  return isReranker ? 'ranks texts' : `vectors of ${dimensions} numbers`;
}

/** In the place of a chat model: it refuses every reply. */
function silentModel({ name, contextLength }: { name: string; contextLength: number }): ChatModel {
  const refuse = () => {
    throw notAChatModel(name);
  };
  return { name, contextLength, countTokens: refuse, reply: refuse };
}
