import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { LlmHostError } from '../errors.ts';
import { PACKAGE_ROOT } from '../native/optional-package.ts';
import { makeFolder } from '../text/files/make-folder.ts';
import type { Runner } from './run-process.ts';

export const PEERS = ['mlx-lm', 'llama.cpp'] as const;
export type PeerName = (typeof PEERS)[number];

/** The model's weights in the forms the peers read; undefined: there is none. */
export interface PeerModels {
  /** A .gguf file. */
  readonly gguf: string | undefined;
  /** A folder in Hugging Face layout. */
  readonly folder: string | undefined;
}

export interface Peer {
  readonly runner: Runner;
  readonly model: string;
}

/** The folder of the programs that run the peers. */
export const RUNNERS = join(PACKAGE_ROOT, 'peers');
export const PEER_INSTALL = `Install the peers with: node ${join(RUNNERS, 'install.mjs')}`;

/**
 * An installed peer and its model. mlx-lm gets a copy of a GGUF file's weights, made once.
 * @throws LlmHostError ENGINE_UNAVAILABLE if it is not installed, USAGE if there is no model for it.
 */
export function findPeer(name: PeerName, models: PeerModels, env: NodeJS.ProcessEnv): Peer {
  const folder = peersFolder(env);
  return name === 'llama.cpp' ? llamaCpp(folder, models) : mlxLm(folder, models, env);
}

/** $LLM_HOST_BENCH_PEERS, or where peers/install.mjs installs them. */
export function peersFolder(env: NodeJS.ProcessEnv): string {
  const cache = env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache');
  return env.LLM_HOST_BENCH_PEERS || join(cache, 'llm-host', 'bench-peers');
}

function llamaCpp(folder: string, { gguf }: PeerModels): Peer {
  const installed = join(folder, 'node_modules', 'node-llama-cpp', 'package.json');
  if (!existsSync(installed)) throw missing('llama.cpp', installed);
  if (gguf === undefined) throw noModel('llama.cpp', 'a .gguf file', '--llama-cpp-model FILE');
  const args = [join(RUNNERS, 'llama_cpp.mjs'), folder];
  return { runner: { name: 'llama.cpp', command: process.execPath, args, env: {} }, model: gguf };
}

function mlxLm(folder: string, models: PeerModels, env: NodeJS.ProcessEnv): Peer {
  const places = [join(folder, 'venv'), ...(env.VIRTUAL_ENV ? [env.VIRTUAL_ENV] : [])];
  const venv = places.find(place => existsSync(join(place, 'bin', 'mlx_lm.generate')));
  if (venv === undefined) throw missing('mlx-lm', places.join(' or '));
  const python = join(venv, 'bin', 'python');
  const model = models.folder ?? (models.gguf && convert(python, models.gguf, join(folder, 'models')));
  if (model === undefined) throw noModel('mlx-lm', 'a folder of safetensors', '--mlx-lm-model DIR');
  const args = [join(RUNNERS, 'mlx_lm_run.py')];
  return { runner: { name: 'mlx-lm', command: python, args, env: {} }, model };
}

/** A folder with a GGUF file's weights for mlx-lm; made once per state of the file. */
function convert(python: string, gguf: string, folder: string): string {
  const { size, mtimeMs } = statSync(gguf);
  const target = join(folder, `${basename(gguf, '.gguf')}-${size}-${Math.trunc(mtimeMs)}`);
  if (existsSync(target)) return target;
  makeFolder(folder);
  const temporary = `${target}.new`;
  rmSync(temporary, { recursive: true, force: true });
  const { status, stderr, error } = spawnSync(python, [join(RUNNERS, 'gguf_to_mlx.py'), gguf, temporary], {
    encoding: 'utf8',
  });
  if (status !== 0) {
    const why = error?.message ?? stderr.trimEnd().split('\n').slice(-5).join('\n');
    throw new LlmHostError('ENGINE', `${gguf} could not be converted for mlx-lm: ${why}`, {
      hint: 'Give a folder with the same weights: --mlx-lm-model DIR',
    });
  }
  renameSync(temporary, target);
  return target;
}

function missing(name: PeerName, place: string): LlmHostError {
  return new LlmHostError('ENGINE_UNAVAILABLE', `--compare: ${name} is not installed in ${place}`, {
    hint: PEER_INSTALL,
  });
}

function noModel(name: PeerName, wanted: string, option: string): LlmHostError {
  return new LlmHostError('USAGE', `--compare: ${name} needs the same weights as ${wanted}`, {
    hint: `Name it with ${option}`,
  });
}
