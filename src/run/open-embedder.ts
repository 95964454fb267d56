import type { ChatModel } from '../agent/model/chat-model.ts';
import { Embedder } from '../embed/embedder.ts';
import { TextReader } from '../embed/text-reader.ts';
import { loadEncoder } from '../engine/encoder.ts';
import type { ModelOptions } from '../engine/model-options.ts';
import type { EncoderConfig } from '../model/encoder/encoder-config.ts';
import type { ReadModel } from '../model/load-model.ts';
import { notAChatModel } from '../model/not-a-chat-model.ts';
import { quantizationOf } from '../model/weights/quantization.ts';
import { addonNotices } from '../native/load-addon.ts';
import { specialFrame } from '../tokens/special-frame.ts';
import type { OpenedModel } from './open-model.ts';

/** Loads a model that turns texts into vectors, or ranks them. */
export async function openEmbedder(
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
