import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LlmHostError } from '../../errors.ts';
import { findPeer, PEER_INSTALL, type PeerModels, type PeerName, peersFolder, RUNNERS } from '../peers.ts';
import type { CommandFor } from './bench-clients.ts';
import { mlxLmFolder } from './mlx-lm-folder.ts';

/** Options of a peer's server. */
export interface PeerServerOptions {
  /** Tokens of a prompt and its reply. */
  readonly contextLength: number;
  readonly threads: number | undefined;
  /** Makes an empty folder that lives as long as the servers. */
  readonly makeFolder: () => string;
}

/**
 * The server of an installed peer, with the same weights: mlx_lm.server, or llama.cpp's in the PyPI package xllamacpp.
 * @throws LlmHostError as `findPeer` does.
 */
export function peerServer(
  name: PeerName,
  models: PeerModels,
  options: PeerServerOptions,
  env: NodeJS.ProcessEnv,
): CommandFor {
  return name === 'llama.cpp' ? llamaCpp(models, options, env) : mlxLm(models, options, env);
}

function mlxLm(models: PeerModels, { makeFolder }: PeerServerOptions, env: NodeJS.ProcessEnv): CommandFor {
  const { runner, model } = findPeer('mlx-lm', models, env);
  const folder = mlxLmFolder(model, models.gguf, makeFolder);
  return port => ({
    name: 'mlx-lm',
    command: runner.command,
    args: ['-m', 'mlx_lm', 'server', '--model', folder, '--host', '127.0.0.1', '--port', String(port)],
    env: { HF_HUB_OFFLINE: '1' },
  });
}

function llamaCpp(
  { gguf }: PeerModels,
  { contextLength, threads }: PeerServerOptions,
  env: NodeJS.ProcessEnv,
): CommandFor {
  const libraries = join(peersFolder(env), 'venv', 'lib');
  const found = (existsSync(libraries) ? readdirSync(libraries) : []).some(python =>
    existsSync(join(libraries, python, 'site-packages', 'xllamacpp')),
  );
  if (!found) {
    throw new LlmHostError('ENGINE_UNAVAILABLE', `--compare: xllamacpp is not installed in ${libraries}`, {
      hint: PEER_INSTALL,
    });
  }
  if (gguf === undefined) {
    throw new LlmHostError('USAGE', '--compare: llama.cpp needs the same weights as a .gguf file', {
      hint: 'Name it with --llama-cpp-model FILE',
    });
  }
  return (port, clients) => ({
    name: 'llama.cpp',
    command: join(peersFolder(env), 'venv', 'bin', 'python'),
    args: [
      join(RUNNERS, 'xllamacpp_server.py'),
      gguf,
      String(port),
      String(clients),
      String(contextLength),
      String(threads ?? 0),
    ],
    env: {},
  });
}
