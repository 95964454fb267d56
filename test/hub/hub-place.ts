import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { LlmHostError } from '../../src/errors.ts';
import { parseHubId } from '../../src/hub/hub-id.ts';
import { type PulledModel, type PullOptions, pullModel } from '../../src/hub/pull-model.ts';
import { HubStandIn, pseudoRandomBytes, type Repository, repository } from '../fixtures/hub/hub-stand-in.mjs';
import { tempFolder } from '../model/temp-folder.ts';

export const CONFIG = JSON.stringify({ model_type: 'llama' });
export const WEIGHTS = pseudoRandomBytes(300_000);

/** A repository with what a model needs, and what it does not. */
export const MODEL_FILES = {
  'config.json': CONFIG,
  'tokenizer.json': '{"model":{}}',
  'chat_template.jinja': '{{ messages }}',
  'model.safetensors': WEIGHTS,
  'README.md': '# not needed',
  'pytorch_model.bin': pseudoRandomBytes(1000, 2),
  'onnx/config.json': '{}',
};

export interface HubPlace {
  readonly hub: HubStandIn;
  readonly cache: string;
  readonly env: NodeJS.ProcessEnv;
  pull(source?: string, options?: Partial<PullOptions>): Promise<PulledModel>;
  /** `code: message` and the hint of the error that a pull ends with, and its exit code. */
  failure(
    source?: string,
    options?: Partial<PullOptions>,
  ): Promise<{ text: string; hint: string; exit: number }>;
}

/** A stand-in of the Hub with `org/model`, and an empty cache, for one test. */
export async function hubPlace(
  repositories: Record<string, Repository> = { 'org/model': repository(MODEL_FILES) },
): Promise<HubPlace> {
  const hub = await HubStandIn.start(repositories);
  onTestFinished(() => hub.close());
  const home = tempFolder();
  const cache = join(home, 'hub');
  const env = { HOME: home, HF_HUB_CACHE: cache, HF_ENDPOINT: hub.endpoint };
  const pull: HubPlace['pull'] = async (source = 'org/model', options = {}) => {
    const id = parseHubId(source);
    if (!id) throw new Error(`no id: ${source}`);
    return await pullModel(id, { env, firstWaitMs: 1, ...options });
  };
  const failure: HubPlace['failure'] = async (source, options) => {
    try {
      await pull(source, options);
    } catch (error) {
      if (!(error instanceof LlmHostError)) throw error;
      return { text: `${error.code}: ${error.message}`, hint: error.hint ?? '', exit: error.exitCode };
    }
    throw new Error('the pull succeeded');
  };
  return { hub, cache, env, pull, failure };
}

/** Paths below a folder, links with what they lead to. */
export function tree(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => !entry.isDirectory())
    .map(entry => {
      const path = join(entry.parentPath, entry.name);
      const name = path.slice(folder.length + 1);
      return entry.isSymbolicLink() ? `${name} -> ${readlinkSync(path)}` : name;
    })
    .sort();
}

export const contentOf = (folder: string, name: string): Buffer => readFileSync(join(folder, name));
