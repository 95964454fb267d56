import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LlmHostError } from '../errors.ts';

export interface DemoFiles {
  readonly weights: string;
  /** Folder; undefined if the package has no adapter. */
  readonly adapter: string | undefined;
  /** Jinja source. */
  readonly chatTemplate: string;
}

// The package's root lies two folders up from here, in src/ and in dist/ alike.
const DEMO_FOLDER = fileURLToPath(new URL('../../models/demo/', import.meta.url));

/** Where `npm run bootstrap` puts the demo's base weights. */
export function demoWeightsPath(env: NodeJS.ProcessEnv): string {
  const cache = env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache');
  return join(cache, 'llm-host', 'demo', 'SmolLM2-135M-Instruct.Q4_1.gguf');
}

/** The parts of the embedded default model; throws MODEL_NOT_FOUND if its weights are not there yet. */
export function demoFiles(env: NodeJS.ProcessEnv): DemoFiles {
  const weights = demoWeightsPath(env);
  if (!existsSync(weights)) {
    throw new LlmHostError('MODEL_NOT_FOUND', "Model 'demo' not found or not accessible", {
      hint: `Its weights are not in ${weights}. Get them with: npm run bootstrap`,
    });
  }
  const adapter = join(DEMO_FOLDER, 'adapter');
  return {
    weights,
    adapter: existsSync(join(adapter, 'adapter_config.json')) ? adapter : undefined,
    chatTemplate: readFileSync(join(DEMO_FOLDER, 'chat_template.jinja'), 'utf8'),
  };
}
