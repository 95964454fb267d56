// Time from the start of a process to its first token when nothing of the model is in the page cache: this program beside
// llama.cpp, each started once a round. Linux, as root, who alone may empty the page cache.
// Usage, after `npm run bootstrap` and peers/install.mjs:
//   node scripts/measure/cold-start.mjs MODEL GGUF [--runs 1] [--threads 2]
// GGUF: what llama.cpp reads, the same file or one with as many bits a weight.
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { distDir } from '../lib/project.mjs';
import { runMain, SetupError } from '../lib/setup-error.mjs';

const PAGE_CACHE = '/proc/sys/vm/drop_caches';
const PROMPT_TOKENS = 40;
/** The smallest vocabulary of the measured models. */
const VOCABULARY = 49_152;
/** More than the measured models take, so that both programs find memory that has been in use. */
const USED_MEMORY = 8e9;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '1' }, threads: { type: 'string', default: '2' } },
});

await runMain(async () => {
  const [own, gguf] = positionals;
  if (gguf === undefined) throw new SetupError('Usage: node scripts/measure/cold-start.mjs MODEL GGUF');
  const missing = positionals.find(path => !existsSync(path));
  if (missing !== undefined) throw new SetupError(`${missing} does not exist`);
  const { runProcess } = await bench('run-process.js');
  const { leaveUsedMemory } = await bench('machine-memory.js');
  const { randomIds } = await bench('random-prompts.js');
  const engines = await enginesOf(own, gguf);
  for (let run = 1; run <= Number(values.runs); run++) {
    const times = [];
    for (const { runner, model } of engines) {
      const prompts = [randomIds(PROMPT_TOKENS, VOCABULARY, run)];
      const spec = { model, load: {}, contextLength: 2 * PROMPT_TOKENS, prompts, generate: 1 };
      await leaveUsedMemory(USED_MEMORY);
      emptyPageCache();
      const task = { ...spec, threads: Number(values.threads) };
      times.push((await runProcess(runner, task, new AbortController().signal)).startToFirstTokenMs);
    }
    const [ms, theirs] = times.map(Math.round);
    console.log(`llm-host ${ms} ms, llama.cpp ${theirs} ms, ratio ${(ms / theirs).toFixed(2)}`);
  }
});

function bench(module) {
  return import(pathToFileURL(join(distDir, 'bench', module)).href);
}

async function enginesOf(own, gguf) {
  const { findPeer } = await bench('peers.js');
  const runner = {
    name: 'llm-host',
    command: process.execPath,
    args: [join(distDir, 'cli', 'bench', 'bench-process.js')],
    env: { LLM_HOST_THREADS: values.threads },
  };
  return [{ runner, model: own }, findPeer('llama.cpp', { gguf }, process.env)];
}

/** Writes what is dirty first: only clean pages are dropped. */
function emptyPageCache() {
  spawnSync('sync');
  try {
    writeFileSync(PAGE_CACHE, '3');
  } catch (error) {
    throw new SetupError(`${PAGE_CACHE} cannot be written: ${error.message}. Run this on Linux as root.`);
  }
}
