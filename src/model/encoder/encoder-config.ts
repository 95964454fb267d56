import { join } from 'node:path';
import { isObject, type JsonObject, readJsonObject } from '../../text/files/json-file.ts';
import { type DenseModule, type Pooling, readEncoderModules } from './encoder-modules.ts';
import { isEncoderType } from './encoder-types.ts';

/** How a model turns texts into vectors: what sentence-transformers keeps beside config.json. */
export interface EncoderConfig {
  /** `classifier`: scores a pair of texts, or a text, instead of giving it a vector. */
  readonly kind: 'embedding' | 'classifier';
  /** How the tokens' vectors become the text's. */
  readonly pooling: Pooling;
  /** Matrices behind the pooling. */
  readonly dense: readonly DenseModule[];
  /** Tokens of a text that are read, special ones included; undefined: as many as the model has positions. */
  readonly maxTokens: number | undefined;
  /** Put before texts, by the name of what they are: `query`, `document`... */
  readonly prompts: Readonly<Record<string, string>>;
  /** The prompt of texts that do not say what they are. */
  readonly defaultPrompt: string | undefined;
}

/** Above this, tokenizer_config.json's limit means none. */
const NO_LIMIT = 1e9;

/**
 * Reads a model folder's configuration; undefined: the model generates text. Encoder families generate none; another family
 * is an encoder if its modules.json has a pooling.
 * @throws LlmHostError MODEL_BROKEN, MODEL_UNSUPPORTED
 */
export function readEncoderConfig(
  folder: string,
  config: JsonObject,
  tokenizerConfig: JsonObject | undefined,
): EncoderConfig | undefined {
  const modules = readEncoderModules(folder);
  if (!isEncoderType(config.model_type) && modules?.pooling === undefined) return undefined;
  const { prompts, default_prompt_name: defaultPrompt } =
    readJsonObject(join(folder, 'config_sentence_transformers.json')) ?? {};
  return {
    kind: isClassifier(config) ? 'classifier' : 'embedding',
    // Without modules.json the mean, as in sentence-transformers.
    pooling: modules?.pooling ?? 'mean',
    dense: modules?.dense ?? [],
    maxTokens: maxTokensOf(folder, tokenizerConfig),
    prompts: isObject(prompts) ? textsOf(prompts) : {},
    defaultPrompt: typeof defaultPrompt === 'string' ? defaultPrompt : undefined,
  };
}

function isClassifier({ architectures }: JsonObject): boolean {
  return Array.isArray(architectures) && architectures.some(name => /ForSequenceClassification$/.test(name));
}

function textsOf(prompts: JsonObject): Record<string, string> {
  const texts = Object.entries(prompts).filter(([, text]) => typeof text === 'string');
  return Object.fromEntries(texts) as Record<string, string>;
}

/** The smaller limit of sentence_bert_config.json and tokenizer_config.json, as in the reference. */
function maxTokensOf(folder: string, tokenizerConfig: JsonObject | undefined): number | undefined {
  const { max_seq_length: own } = readJsonObject(join(folder, 'sentence_bert_config.json')) ?? {};
  const limits = [own, tokenizerConfig?.model_max_length].filter(
    (limit): limit is number =>
      Number.isInteger(limit) && (limit as number) > 0 && (limit as number) < NO_LIMIT,
  );
  return limits.length === 0 ? undefined : Math.min(...limits);
}
