import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchClients, type CommandFor } from '../../bench/clients/bench-clients.ts';
import { clientsHtml, clientsText } from '../../bench/clients/clients-output.ts';
import type { ClientsReport } from '../../bench/clients/clients-report.ts';
import { peerServer } from '../../bench/clients/peer-servers.ts';
import { wordPrompt } from '../../bench/random-prompts.ts';
import { describeMachine } from '../../bench/report.ts';
import { LlmHostError } from '../../errors.ts';
import { demoWeightsPath } from '../../model/demo-model.ts';
import { type ReadModel, readModel } from '../../model/load-model.ts';
import { loadTokenizer } from '../../model/load-tokenizer.ts';
import { localSource } from '../../model/model-source.ts';
import { loadAddon } from '../../native/load-addon.ts';
import { stripControls } from '../../text/clean/strip-controls.ts';
import { VERSION } from '../process/app.ts';
import type { Signals } from '../process/signals.ts';
import {
  type BenchArguments,
  loadOf,
  numbers,
  ownEnvironment,
  peerModels,
  peerNames,
  whole,
  writeHtml,
} from './bench-arguments.ts';

const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
/** Beyond the prompt and the reply: tokens that a server adds, or that another tokenizer counts. */
const SPARE_TOKENS = 64;
const NOT_WITH_CLIENTS = ['turns', 'graph'] as const;

/** `llm-host bench <model> --clients 1,8`: measures its server, and peers' if asked. Resolves with the exit code. */
export async function runClientsBench(
  args: BenchArguments & { readonly clients: string },
  signals: Signals,
): Promise<number> {
  const clients = [...new Set(numbers('clients', args.clients))].sort((a, b) => a - b);
  const wrong = NOT_WITH_CLIENTS.find(option => args[option]);
  if (wrong !== undefined) throw new LlmHostError('USAGE', `--clients cannot be combined with --${wrong}`);
  const [promptTokens = 200, ...more] = numbers('prompt-tokens', args.promptTokens ?? '200');
  if (more.length > 0) throw new LlmHostError('USAGE', '--clients measures one --prompt-tokens at a time');
  const [generate, requests] = [whole('generate', args.generate ?? 64), whole('runs', args.runs ?? 4)];
  const threads = args.threads === undefined ? undefined : whole('threads', args.threads);
  const contextLength = promptTokens + generate + SPARE_TOKENS;
  const where = { cwd: process.cwd(), env: process.env };
  const read = readModel(localSource(args.model, where), { ...loadOf(args), contextLength, ...where });
  const tokenizer = loadTokenizer(args.model, where);
  const place = mkdtempSync(join(tmpdir(), 'llm-host-bench-'));
  const stop = new AbortController();
  signals.addCleanup(async () => {
    stop.abort();
    rmSync(place, { recursive: true, force: true });
  });
  try {
    const options = { contextLength, threads, makeFolder: () => mkdtempSync(join(place, 'model-')) };
    const peers = peerNames(args.compare).map(name => ({
      name,
      commandFor: peerServer(name, peerModels(args), options, process.env),
    }));
    const servers = await benchClients({
      servers: [{ name: 'llm-host', commandFor: ownServer(args, place, options) }, ...peers],
      clients,
      requests,
      generate,
      prompt: seed => wordPrompt(promptTokens, seed, text => tokenizer.encode(text).length),
      onProgress: text => process.stderr.write(`${text}\n`),
      signal: stop.signal,
    });
    const report: ClientsReport = {
      ...reportOf(read),
      settings: {
        clients,
        promptTokens,
        generate,
        requests,
        threads,
        environment: ownEnvironment(process.env),
      },
      servers,
    };
    if (args.html !== undefined) writeHtml(args.html, clientsHtml(report));
    const text = args.json ? JSON.stringify(report, null, 2) : stripControls(clientsText(report));
    process.stdout.write(`${text}\n`);
    return 0;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function reportOf({ name, spec, parameters }: ReadModel): Omit<ClientsReport, 'settings' | 'servers'> {
  return {
    version: 1,
    date: new Date().toISOString(),
    machine: describeMachine(),
    versions: { llmHost: VERSION, mlx: loadAddon().versions.mlxLoaded, node: process.versions.node },
    model: { name, family: String(spec.config.model_type), parameters },
  };
}

/** `serve` with nothing from the user's configuration, generating for all clients at once. */
function ownServer(
  args: BenchArguments,
  place: string,
  { contextLength, threads }: { readonly contextLength: number; readonly threads: number | undefined },
): CommandFor {
  const config = join(place, 'config.json');
  writeFileSync(config, '{ "SystemPrompt": "" }');
  const { quantize, kvBits, adapter } = loadOf(args);
  // Without its adapter, the demo is the file of its weights.
  const bare = args.model === 'demo' && adapter?.length === 0;
  const model = bare ? demoWeightsPath(process.env) : args.model;
  return (port, clients) => ({
    name: 'llm-host',
    command: process.execPath,
    args: [
      MAIN,
      'serve',
      model,
      // Random prompts make models repeat themselves, which no conversation does to that extent.
      ...'--no-mcp --no-repetition-guard --no-lookup --log-level silent --quiet'.split(' '),
      ...`--host 127.0.0.1 --port ${port} --context ${contextLength}`.split(' '),
      ...`--parallel ${clients} --max-queue ${Math.max(64, 2 * clients)}`.split(' '),
      '--config',
      config,
      ...(quantize === undefined ? [] : ['--quantize', quantize]),
      ...(kvBits === undefined ? [] : ['--kv-bits', String(kvBits)]),
      ...(adapter ?? []).flatMap(folder => ['--adapter', folder]),
    ],
    env: {
      LLM_HOST_API_KEY: undefined,
      ...(threads === undefined ? {} : { LLM_HOST_THREADS: String(threads) }),
    },
  });
}
