import { join } from 'node:path';
import { LlmHostError } from '../errors.ts';
import { isObject, type JsonObject, readJsonObject, readText } from '../text/files/json-file.ts';
import { broken } from '../text/files/model-fault.ts';

/** The text files of a model folder. */
export interface ModelTexts {
  readonly config: JsonObject;
  readonly generationConfig: JsonObject | undefined;
  readonly tokenizer: JsonObject | undefined;
  readonly tokenizerConfig: JsonObject | undefined;
  /** Jinja source. */
  readonly chatTemplate: string | undefined;
  /** The variant for conversations with tools, if the model has one. */
  readonly toolTemplate: string | undefined;
}

/** Reads the JSON and Jinja files of a folder in Hugging Face's layout; broken JSON is reported with line:column. */
export function readModelTexts(folder: string): ModelTexts {
  const config = readJsonObject(join(folder, 'config.json'));
  if (!config) {
    throw new LlmHostError('MODEL_BROKEN', `config.json not found in ${folder}`, {
      hint: 'A model folder holds config.json, tokenizer.json and *.safetensors. Download the whole repository.',
    });
  }
  const tokenizerConfig = readJsonObject(join(folder, 'tokenizer_config.json'));
  return {
    config,
    generationConfig: readJsonObject(join(folder, 'generation_config.json')),
    tokenizer: readJsonObject(join(folder, 'tokenizer.json')),
    tokenizerConfig,
    ...readTemplates(folder, tokenizerConfig),
  };
}

type Templates = Pick<ModelTexts, 'chatTemplate' | 'toolTemplate'>;

function readTemplates(folder: string, tokenizerConfig: JsonObject | undefined): Templates {
  const own = readText(join(folder, 'chat_template.jinja'));
  if (own !== undefined) return { chatTemplate: own, toolTemplate: undefined };
  const file = join(folder, 'chat_template.json');
  const json = readJsonObject(file);
  if (json) return templatesOf(file, json.chat_template);
  return templatesOf(join(folder, 'tokenizer_config.json'), tokenizerConfig?.chat_template);
}

/** A template, or a list of {name, template} of which `default` and `tool_use` are used. */
function templatesOf(file: string, value: unknown): Templates {
  if (value === undefined || value === null) return { chatTemplate: undefined, toolTemplate: undefined };
  if (typeof value === 'string') return { chatTemplate: value, toolTemplate: undefined };
  const named = new Map<unknown, string>();
  for (const entry of Array.isArray(value) ? value : [undefined]) {
    if (!isObject(entry) || typeof entry.name !== 'string' || typeof entry.template !== 'string') {
      throw broken(file, 'has a broken chat_template: expected a string or a list of {name, template}');
    }
    named.set(entry.name, entry.template);
  }
  const toolTemplate = named.get('tool_use');
  return { chatTemplate: named.get('default') ?? toolTemplate, toolTemplate };
}
