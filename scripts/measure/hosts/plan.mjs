// The plans of `llm-host inspect --hosts` for published models on several M4 Max: the tables of docs/evidence/distributed.md. Writes
// headers without weights into a temporary folder; downloads and loads nothing.
// Usage, after `npm run bootstrap`: node scripts/measure/hosts/plan.mjs
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { distDir } from '../../lib/project.mjs';
import { reportUncaught } from '../../lib/setup-error.mjs';
import { writeHeaders } from '../shapes/headers.mjs';

reportUncaught();

const { inspectModel } = await import(join(distDir, 'model', 'inspect.js'));
const { kvBytesPerToken, kvElementBytes } = await import(join(distDir, 'model', 'fit.js'));
const { whyIndivisible } = await import(join(distDir, 'model', 'distributed', 'divides.js'));
const { modelParts } = await import(join(distDir, 'model', 'distributed', 'model-parts.js'));
const { planHosts } = await import(join(distDir, 'model', 'distributed', 'plan.js'));

const CONTEXT = 8192;

/** Each as `writeHeaders` takes it. */
const MODELS = {
  'Llama-3.1-8B': { shape: [32, 4096, 32, 8, 128, 14336, 128256], untied: true },
  'Llama-3.3-70B': { shape: [80, 8192, 64, 8, 128, 28672, 128256], untied: true },
  'Qwen3-235B-A22B': {
    shape: [94, 4096, 64, 4, 128, 1536, 151936],
    untied: true,
    experts: 128,
    active: 8,
  },
};

/** An M4 Max with 40 GPU cores: 546 GB/s by Apple's specification, three quarters of 128 GB for the GPU. */
const MACHINE = { memoryBytes: 96e9, bytesPerSecond: 546e9 };

/** The Studio's ports: one cable to each other machine. */
const PORTS = 4;

const MICROSECOND = 1e-6;
const LINKS = {
  'Thunderbolt 5, RDMA': machines => ({
    bytesPerSecond: 10e9,
    latency: 7 * MICROSECOND,
    mesh: machines - 1 <= PORTS,
  }),
  '10 GbE': () => ({ bytesPerSecond: 1.25e9, latency: 50 * MICROSECOND, mesh: false }),
};

/** Weights as MLX holds them on a Mac: in 4 bits as stored, activations in 16. */
function partsOf(folder) {
  const options = { contextLength: CONTEXT, quantize: '4', cwd: folder, env: process.env };
  const { inspection, read, loading } = inspectModel(folder, options);
  const kvBytes = kvBytesPerToken(read.spec.config, kvElementBytes('stored', 0)) * CONTEXT;
  const workingBytes = () => inspection.memory.workingSetBytes;
  const parts = modelParts(read.spec, { ...loading, layout: 'stored' }, { kvBytes, workingBytes });
  const groupSize = loading.quantize.groupSize;
  return { parts, whyNot: machines => whyIndivisible(read.spec, groupSize, machines) };
}

function planFor({ parts, whyNot }, machines, link) {
  const hosts = Array.from({ length: machines }, (_, i) => ({
    name: `mac-${i + 1}`,
    address: '',
    ...MACHINE,
  }));
  return planHosts(parts, { hosts, link: link(machines) }, whyNot(machines));
}

const speed = ({ tokensPerSecond, fits }) =>
  fits ? tokensPerSecond.toLocaleString('en', { maximumSignificantDigits: 3 }) : 'does not fit';
const byWay = plan => way => [plan, plan.other].find(division => division?.split === way);

function rowOf(machines, linkName, plan) {
  const [tensor, pipeline] = ['tensor', 'pipeline'].map(byWay(plan));
  const most = Math.max(...plan.shares.map(share => share.totalBytes));
  return [
    machines,
    linkName,
    `${(most / 1e9).toFixed(1)} GB`,
    tensor ? `${(tensor.wire.bytes / 1e3).toFixed(0)} kB` : '',
    tensor ? `${(tensor.wire.seconds * 1000).toFixed(2)} ms` : '',
    tensor ? speed(tensor) : 'not divisible',
    machines === 1 ? '' : speed(pipeline),
    plan.alone && machines > 1 ? (plan.tokensPerSecond / plan.alone.tokensPerSecond).toFixed(2) : '',
  ];
}

const top = mkdtempSync(join(tmpdir(), 'llm-host-plan-'));
const row = cells => console.log(`| ${cells.join(' | ')} |`);
try {
  for (const [name, model] of Object.entries(MODELS)) {
    const folder = join(top, name);
    writeHeaders(folder, model);
    const read = partsOf(folder);
    console.log(`\n${name}\n`);
    row([
      'machines',
      'connection',
      'memory each',
      'wire a token',
      'wire time',
      'tensor, tok/s',
      'pipeline, tok/s',
      'gain',
    ]);
    row(Array(8).fill('---'));
    row(rowOf(1, '', planFor(read, 1, LINKS['10 GbE'])));
    for (const [linkName, link] of Object.entries(LINKS)) {
      for (const machines of [2, 4, 8]) row(rowOf(machines, linkName, planFor(read, machines, link)));
    }
  }
} finally {
  rmSync(top, { recursive: true });
}
