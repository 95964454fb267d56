// Peak memory of each process that shares a model over the loopback, beside what `inspect --hosts` predicts: the table of
// docs/evidence/distributed.md. Linux only.
// Usage, after `npm run bootstrap`: node scripts/measure/hosts/memory.mjs MODEL MACHINES [--words 900] [--context 1024]
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { runMain, SetupError } from '../../lib/setup-error.mjs';
import { MAIN, startWorkers, writeHosts } from './loopback-machines.mjs';

const LOOK_MS = 30;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    words: { type: 'string', default: '900' },
    context: { type: 'string', default: '1024' },
  },
});

/** Bytes of each machine where all divide each layer. */
function predicted(model, folder) {
  const args = [MAIN, 'inspect', model, '--hosts', join(folder, 'hosts.json'), '--json'];
  const { stdout } = spawnSync(process.execPath, [...args, '--context', values.context], {
    encoding: 'utf8',
  });
  const { plan } = JSON.parse(stdout);
  const division = [plan, plan.other].find(one => one?.split === 'tensor');
  if (!division) throw new SetupError(`${model}: ${plan.indivisible}`);
  return division.shares.map(share => share.totalBytes);
}

const lines = path => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it has ended
  }
};
const childOf = pid => Number(lines(`/proc/${pid}/task/${pid}/children`).split(' ')[0]);
const peakOf = pid => 1024 * Number(/VmHWM:\s+(\d+)/.exec(lines(`/proc/${pid}/status`))?.[1] ?? 0);

async function measure(model, folder, hosts) {
  const workers = await startWorkers(folder, hosts);
  const prompt = Array(Number(values.words)).fill('word').join(' ');
  const args = ['--no-mcp', '--context', values.context, '--temperature', '0', '--max-tokens', '32'];
  const program = spawn(process.execPath, [MAIN, model, '--hosts', 'hosts.json', ...args, '-p', prompt], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  program.stdout.resume();
  const peaks = hosts.map(() => 0);
  while (program.exitCode === null) {
    for (const [index, pid] of [program.pid, ...workers.map(worker => childOf(worker.pid))].entries())
      peaks[index] = Math.max(peaks[index], peakOf(pid));
    await sleep(LOOK_MS);
  }
  for (const worker of workers) worker.kill();
  if (program.exitCode !== 0) throw new SetupError(`${model} over ${hosts.length} machines: it failed`);
  return peaks;
}

runMain(async () => {
  const [model, count] = positionals;
  const machines = Number(count);
  if (model === undefined || !(machines > 1)) throw new SetupError('usage: hosts/memory.mjs MODEL MACHINES');
  const folder = mkdtempSync(join(tmpdir(), 'llm-host-hosts-memory-'));
  try {
    const hosts = writeHosts(folder, machines);
    const said = predicted(model, folder);
    const peaks = await measure(model, folder, hosts);
    const cells = peaks.map((peak, index) => {
      const [mine, its] = [said[index] / 1e6, peak / 1e6];
      return `${mine.toFixed(0)} / ${its.toFixed(0)} (${((100 * mine) / its).toFixed(0)} %)`;
    });
    console.log(`| ${model} | ${machines} | ${cells.join(' | ')} |`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
