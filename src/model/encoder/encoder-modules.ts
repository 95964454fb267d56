import { join } from 'node:path';
import { shownJson } from '../../text/clean/visible.ts';
import { isObject, type JsonObject, readJson, readJsonObject } from '../../text/files/json-file.ts';
import { broken, unsupported } from '../../text/files/model-fault.ts';

export type Pooling = 'mean' | 'cls' | 'lasttoken';

/** A matrix behind the pooling. */
export interface DenseModule {
  /** Its safetensors file: linear.weight [out, in], and linear.bias. */
  readonly file: string;
  readonly out: number;
  readonly bias: boolean;
  readonly activation: 'identity' | 'tanh';
}

/** The modules that modules.json puts behind a model. */
export interface EncoderModules {
  /** undefined: there is no module for it. */
  readonly pooling: Pooling | undefined;
  /** In their order. */
  readonly dense: readonly DenseModule[];
}

/** The steps that are done here, in this order; others would change the vectors. */
const KNOWN = ['Transformer', 'Pooling', 'Dense', 'Normalize'];

/**
 * By the modules.json of sentence-transformers and the files it names; undefined without it.
 * @throws LlmHostError MODEL_BROKEN, MODEL_UNSUPPORTED
 */
export function readEncoderModules(folder: string): EncoderModules | undefined {
  const path = join(folder, 'modules.json');
  const modules = readJson(path);
  if (modules === undefined) return undefined;
  if (!Array.isArray(modules)) throw broken(path, 'must hold a list of modules');
  let pooling: Pooling | undefined;
  const dense: DenseModule[] = [];
  let place = 0;
  for (const entry of modules) {
    const { type, path: subfolder } = isObject(entry) ? entry : {};
    const kind = KNOWN.indexOf(typeof type === 'string' ? (type.split('.').at(-1) as string) : '');
    if (kind < 0)
      throw unsupported(path, `has a module of type ${shownJson(type)}; supported are: ${KNOWN.join(', ')}`);
    if (kind < place)
      throw unsupported(path, `has its modules in an order that is not supported: ${KNOWN.join(', ')} is`);
    // Only matrices may be several.
    place = KNOWN[kind] === 'Dense' ? kind : kind + 1;
    if (KNOWN[kind] === 'Pooling') pooling = readPooling(moduleFolder(folder, path, subfolder));
    if (KNOWN[kind] === 'Dense') dense.push(readDense(moduleFolder(folder, path, subfolder)));
  }
  return { pooling, dense };
}

function moduleFolder(folder: string, modulesFile: string, subfolder: unknown): string {
  if (typeof subfolder !== 'string' || !/^[\w-]+$/.test(subfolder))
    throw broken(modulesFile, `has a broken path: ${shownJson(subfolder)}`);
  return join(folder, subfolder);
}

function moduleConfig(folder: string): { readonly path: string; readonly config: JsonObject } {
  const path = join(folder, 'config.json');
  const config = readJsonObject(path);
  if (!config) throw broken(path, 'is missing, though modules.json names it. Download the whole repository.');
  return { path, config };
}

const POOLINGS: Readonly<Record<string, Pooling>> = {
  mean: 'mean',
  cls: 'cls',
  lasttoken: 'lasttoken',
  pooling_mode_mean_tokens: 'mean',
  pooling_mode_cls_token: 'cls',
  pooling_mode_lasttoken: 'lasttoken',
};

/** `pooling_mode`, or earlier a switch for each, several of which would be put side by side. */
function readPooling(folder: string): Pooling {
  const { path, config } = moduleConfig(folder);
  const switches = Object.keys(config).filter(key => /^pooling_mode_/.test(key) && config[key] === true);
  const named = [config.pooling_mode].flat().filter(mode => mode !== undefined);
  const chosen = named.length > 0 ? named : switches;
  const [only] = chosen;
  const pooling = typeof only === 'string' && Object.hasOwn(POOLINGS, only) ? POOLINGS[only] : undefined;
  if (pooling === undefined || chosen.length !== 1)
    throw unsupported(path, `pools by ${shownJson(chosen)}; supported is one of: mean, cls, lasttoken`);
  if (config.include_prompt === false)
    throw unsupported(path, 'leaves prompts out of the pooling (include_prompt), which is not supported');
  return pooling;
}

const ACTIVATIONS: Readonly<Record<string, DenseModule['activation']>> = {
  Identity: 'identity',
  Tanh: 'tanh',
};

/** Far beyond any model. */
const MAX_OUT = 2 ** 20;

function readDense(folder: string): DenseModule {
  const { path, config } = moduleConfig(folder);
  const { out_features: out, bias = true, activation_function: named = 'torch.nn.Tanh' } = config;
  const whole = Number.isInteger(out) && (out as number) >= 1 && (out as number) <= MAX_OUT;
  if (!whole || typeof bias !== 'boolean')
    throw broken(path, `must hold out_features, an integer from 1 to ${MAX_OUT}, and bias, true or false`);
  const name = typeof named === 'string' ? (named.split('.').at(-1) as string) : '';
  const activation = Object.hasOwn(ACTIVATIONS, name) ? ACTIVATIONS[name] : undefined;
  if (activation === undefined)
    throw unsupported(
      path,
      `has the activation_function ${shownJson(named)}; supported are: ${Object.keys(ACTIVATIONS).join(', ')}`,
    );
  if (config.use_residual === true)
    throw unsupported(path, 'adds its input to its output (use_residual), which is not supported');
  return { file: join(folder, 'model.safetensors'), out: out as number, bias, activation };
}
