import type { ToolProtocol } from '../agent/model/call-protocol.ts';
import type { ChatModel } from '../agent/model/chat-model.ts';
import type { StyleMemory } from '../agent/model/prompt-style-choice.ts';
import type { Embedder } from '../embed/embedder.ts';
import type { LocalEngine } from '../engine/engine.ts';
import type { ModelOptions } from '../engine/model-options.ts';
import type { ModelFacts } from '../model/model-facts.ts';
import type { ModelSource } from '../model/model-source.ts';
import { notAChatModel } from '../model/not-a-chat-model.ts';
import type { PromptStyle } from '../parse/formats/prompt-style.ts';
import type { CallFormatEntry } from '../parse/types/call-format-choice.ts';
import type { Tokenizer } from '../tokens/tokenizer-types.ts';

export interface TriedStyles {
  readonly styles: readonly (readonly [name: string, style: PromptStyle])[];
  readonly memory: StyleMemory;
}

/** How a model is opened, wherever it runs. */
export interface OpenModelOptions extends ModelOptions {
  /** The machines to share the model with: a hosts file, and the version of this program. */
  readonly shared?: { readonly hosts: string; readonly version: string } | undefined;
  /** End a reply that repeats itself without end. Default true. */
  readonly repetitionGuard?: boolean | undefined;
  /** The user's own tool-call formats, which come before the table's. */
  readonly toolFormats?: readonly CallFormatEntry[];
  readonly toolProtocol?: ToolProtocol | undefined;
  /** The requested style, or those to try and what is remembered of them. */
  readonly promptStyle?: PromptStyle | TriedStyles | undefined;
  /** Where to find Ollama, for its models. */
  readonly ollama?: { readonly baseUrl?: string | undefined; readonly timeoutSeconds?: number | undefined };
}

export interface OpenedModel {
  /** With an `embedder`, a model that refuses every reply. */
  readonly model: ChatModel;
  /** Only for a model that turns texts into vectors, and does nothing else. */
  readonly embedder?: Embedder;
  /** Undefined for a model that another process runs. */
  readonly tokenizer?: Tokenizer;
  /** As the user knows it: the Hub id, or the name of the file or folder. */
  readonly name: string;
  /** Where it runs: cpu, gpu, ollama, or `served` by another llm-host. */
  readonly device: string;
  /** Facts for programs. */
  readonly facts?: ModelFacts;
  /** One line for people: name, size, device. */
  readonly description: string;
  /** Facts the user should know, such as a model without a chat template. */
  readonly notices: readonly string[];
  /** The KV cache, which can be saved to a file for another run; undefined: it cannot. */
  readonly cache?: Pick<LocalEngine, 'saveCache' | 'loadCache'>;
  close(): Promise<void>;
}

/** Turns a model source into something to chat with. Whole-program tests replace this one function. */
export type OpenModel = (source: ModelSource, options: OpenModelOptions) => Promise<OpenedModel>;

/** Opens models to chat with; closes and refuses one that turns texts into vectors. @throws LlmHostError USAGE */
export function chatOnly(openModel: OpenModel): OpenModel {
  return async (source, options) => {
    const opened = await openModel(source, options);
    if (!opened.embedder) return opened;
    await opened.close();
    throw notAChatModel(opened.name);
  };
}
