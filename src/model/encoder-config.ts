import { join } from 'node:path';
import { isObject, type JsonObject, readJson, readJsonObject } from '../text/files/json-file.ts';
import { broken, unsupported } from '../text/files/model-fault.ts';
import { isEncoderType } from './encoder-types.ts';

/** How a model turns texts into vectors: what sentence-transformers keeps beside config.json. */
export interface EncoderConfig {
  /** `classifier`: scores a pair of texts, or a text, instead of giving it a vector. */
  readonly kind: 'embedding' | 'classifier';
  /** How the tokens' vectors become the text's. */
  readonly pooling: 'mean' | 'cls' | 'lasttoken';
  /** Tokens of a text that are read, special ones included; undefined: as many as the model has positions. */
  readonly maxTokens: number | undefined;
  /** Put before texts, by the name of what they are: `query`, `document`... */
  readonly prompts: Readonly<Record<string, string>>;
  /** The prompt of texts that do not say what they are. */
  readonly defaultPrompt: string | undefined;
}

/** Above this, tokenizer_config.json's limit means none. */
const NO_LIMIT = 1e9;

/** Of a model folder; undefined: the model is no encoder. @throws LlmHostError MODEL_BROKEN, MODEL_UNSUPPORTED */
export function readEncoderConfig(
  folder: string,
  config: JsonObject,
  tokenizerConfig: JsonObject | undefined,
): EncoderConfig | undefined {
  if (!isEncoderType(config.model_type)) return undefined;
  const { prompts, default_prompt_name: defaultPrompt } =
    readJsonObject(join(folder, 'config_sentence_transformers.json')) ?? {};
  return {
    kind: isClassifier(config) ? 'classifier' : 'embedding',
    pooling: poolingOf(folder),
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

/** Those of sentence_bert_config.json and tokenizer_config.json: the smaller one, as in the reference. */
function maxTokensOf(folder: string, tokenizerConfig: JsonObject | undefined): number | undefined {
  const { max_seq_length: own } = readJsonObject(join(folder, 'sentence_bert_config.json')) ?? {};
  const limits = [own, tokenizerConfig?.model_max_length].filter(
    (limit): limit is number =>
      Number.isInteger(limit) && (limit as number) > 0 && (limit as number) < NO_LIMIT,
  );
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** The steps after the encoder that are done here; others would change the vectors. */
const KNOWN_MODULES = ['Transformer', 'Pooling', 'Normalize'];

/** By modules.json and the pooling's own file; the mean without them, as in sentence-transformers. */
function poolingOf(folder: string): EncoderConfig['pooling'] {
  const path = join(folder, 'modules.json');
  const modules = readJson(path);
  if (modules === undefined) return 'mean';
  if (!Array.isArray(modules)) throw broken(path, 'must hold a list of modules');
  let pooling: EncoderConfig['pooling'] = 'mean';
  for (const entry of modules) {
    const { type, path: subfolder } = isObject(entry) ? entry : {};
    const name = typeof type === 'string' ? (type.split('.').at(-1) as string) : '';
    if (!KNOWN_MODULES.includes(name)) {
      const known = KNOWN_MODULES.join(', ');
      throw unsupported(path, `has a module of type ${JSON.stringify(type)}; supported are: ${known}`);
    }
    if (name === 'Pooling') pooling = readPooling(poolingFile(folder, path, subfolder));
  }
  return pooling;
}

function poolingFile(folder: string, modulesFile: string, subfolder: unknown): string {
  if (typeof subfolder !== 'string' || !/^[\w-]+$/.test(subfolder))
    throw broken(modulesFile, `has a broken path: ${JSON.stringify(subfolder)}`);
  return join(folder, subfolder, 'config.json');
}

const POOLINGS: Readonly<Record<string, EncoderConfig['pooling']>> = {
  ...{ mean: 'mean', cls: 'cls', lasttoken: 'lasttoken' },
  ...{ pooling_mode_mean_tokens: 'mean', pooling_mode_cls_token: 'cls', pooling_mode_lasttoken: 'lasttoken' },
};

/** `pooling_mode`, or earlier a switch for each, several of which would be put side by side. */
function readPooling(path: string): EncoderConfig['pooling'] {
  const config = readJsonObject(path);
  if (!config) throw broken(path, 'is missing, though modules.json names it. Download the whole repository.');
  const switches = Object.keys(config).filter(key => /^pooling_mode_/.test(key) && config[key] === true);
  const named = [config.pooling_mode].flat().filter(mode => mode !== undefined);
  const chosen = named.length > 0 ? named : switches;
  const [only] = chosen;
  const pooling = typeof only === 'string' && Object.hasOwn(POOLINGS, only) ? POOLINGS[only] : undefined;
  if (pooling !== undefined && chosen.length === 1) return pooling;
  throw unsupported(path, `pools by ${JSON.stringify(chosen)}; supported is one of: mean, cls, lasttoken`);
}
