import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LlmHostError } from '../errors.ts';
import { IS_CHECKOUT, optionalPackage, PACKAGE_ROOT, WEIGHTS_PACKAGE } from '../native/optional-package.ts';
import { programCacheFolder } from './cache-folder.ts';

export interface DemoFiles {
  readonly weights: string;
  /** A folder, beside the weights. */
  readonly adapter: string;
  /** Jinja source. */
  readonly chatTemplate: string;
}

const DEMO_FOLDER = join(PACKAGE_ROOT, 'models', 'demo');
const WEIGHTS = 'SmolLM2-135M-Instruct.Q4_1.gguf';

/** The demo's base weights: in their package, or where `npm run bootstrap` puts them. */
export function demoWeightsPath(env: NodeJS.ProcessEnv): string {
  const installed = optionalPackage(WEIGHTS_PACKAGE);
  if (installed) return join(installed.folder, WEIGHTS);
  return join(programCacheFolder(env), 'demo', WEIGHTS);
}

/** The parts of the embedded default model. Throws MODEL_NOT_FOUND if its weights or its adapter are missing. */
export function demoFiles(env: NodeJS.ProcessEnv): DemoFiles {
  const weights = demoWeightsPath(env);
  const adapter = join(dirname(weights), 'adapter');
  const missing = [weights, join(adapter, 'adapter_config.json')].find(path => !existsSync(path));
  if (missing !== undefined) {
    throw new LlmHostError('MODEL_NOT_FOUND', "Model 'demo' not found or not accessible", {
      hint: `There is no ${missing}. Get it with: ${IS_CHECKOUT ? 'npm run bootstrap' : `npm install ${WEIGHTS_PACKAGE}`}`,
    });
  }
  return {
    weights,
    adapter,
    chatTemplate: readFileSync(join(DEMO_FOLDER, 'chat_template.jinja'), 'utf8'),
  };
}
