import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { distDir } from '../../lib/project.mjs';
import { SetupError } from '../../lib/setup-error.mjs';

const START_MS = 120_000;
const fromDist = path => import(pathToFileURL(join(distDir, path)).href);

/**
 * Starts mlx_lm.server with the weights, adapter, tokenizer and template of the demo. Needs dist/ and what
 * peers/install.mjs installs.
 * @returns {Promise<{ url: string, pid: number, stop: () => Promise<number> }>} stop: -> the exit code
 */
export async function serveMlxLm() {
  const { demoFiles } = await fromDist('model/demo-model.js');
  const { findPeer } = await fromDist('bench/peers.js');
  const { weights, adapter, chatTemplate } = demoFiles(process.env);
  const { runner, model } = findPeer('mlx-lm', { gguf: weights, folder: undefined }, process.env);
  const { mlxLmFolder } = await fromDist('bench/clients/mlx-lm-folder.js');
  const made = mkdtempSync(join(tmpdir(), 'llm-host-mlx-lm-'));
  const folder = mlxLmFolder(model, weights, () => made, chatTemplate);
  const port = await freePort();
  const args = ['-m', 'mlx_lm', 'server', '--model', folder, '--host', '127.0.0.1', '--port', String(port)];
  const child = spawn(runner.command, [...args, ...(adapter ? ['--adapter-path', adapter] : [])], {
    env: { ...process.env, HF_HUB_OFFLINE: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', text => {
    said = (said + text).slice(-2000);
  });
  const closed = once(child, 'close').then(([code]) => {
    rmSync(made, { recursive: true, force: true });
    return code;
  });
  const url = `http://127.0.0.1:${port}`;
  const stop = () => {
    child.kill('SIGTERM');
    return closed;
  };
  for (const end = Date.now() + START_MS; !(await answers(url)); await sleep(200)) {
    if (child.exitCode === null && Date.now() < end) continue;
    await stop();
    throw new SetupError('mlx_lm.server did not start', { output: said });
  }
  return { url, pid: child.pid, stop };
}

const answers = url =>
  fetch(`${url}/health`).then(
    response => response.ok,
    () => false,
  );

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
