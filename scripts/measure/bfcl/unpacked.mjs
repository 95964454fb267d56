import { existsSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { BFCL, bfclFolder } from '../../../dist/bench/tools/bfcl/fetch-bfcl.js';
import { unpackWheel } from '../../lib/wheel.mjs';

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'llm-host');

/** The folder of BFCL's data, as `bench --tools` keeps it. */
export async function dataFolder(conversations = false) {
  const signal = new AbortController().signal;
  return await bfclFolder({ cache, env: process.env, signal, onProgress: console.error, conversations });
}

/** The folder of the whole wheel bfcl-eval, with its checker. */
export async function wheelFolder() {
  const wheel = join(cache, 'bfcl', `wheel-${BFCL.version}`);
  if (existsSync(wheel)) return wheel;
  const draft = `${wheel}.${process.pid}.tmp`;
  await unpackWheel({ package: BFCL.name, version: BFCL.version, sha256: BFCL.sha256 }, draft);
  rmSync(wheel, { recursive: true, force: true });
  renameSync(draft, wheel);
  return wheel;
}
