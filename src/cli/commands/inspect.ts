import type { ProbedLink } from '../../distributed/leader/probe.ts';
import { LlmHostError } from '../../errors.ts';
import type { Plan } from '../../model/distributed/plan.ts';
import type { InspectedModel } from '../../model/inspect.ts';
import type { ReadModel } from '../../model/load-model.ts';
import { withConfigFile } from '../../model/name-config-file.ts';
import { QUANTIZE_CHOICES } from '../../model/weights/quantize-choices.ts';
import { stripControls } from '../../text/clean/strip-controls.ts';
import type { Row } from '../inspect/model-rows.ts';
import { checkNumber } from '../options/check-options.ts';
import { defineCommand } from '../options/command.ts';
import { json, number, text } from '../options/option-kinds.ts';
import { OPTIONS } from '../options/option-table.ts';

/** Loads no weights. */
export const inspect = defineCommand({
  usage: 'inspect <model>',
  description: 'show what a model is and needs',
  options: (y, declareModel) =>
    declareModel(y)
      .option('context', { ...number('context length in tokens to count memory for'), alias: 'ctx' })
      .option('quantize', { ...text('as if quantized while loading'), choices: QUANTIZE_CHOICES })
      .option('hosts', text('plan how to divide the model over the machines in this file'))
      .option('probe', {
        type: 'boolean',
        describe: 'with --hosts: measure the connections to the running workers',
      })
      .option('json', json),
  run: async args => {
    const { context, quantize, hosts, probe } = args;
    checkNumber('context', context, OPTIONS.context.range);
    if (probe && hosts === undefined)
      throw new LlmHostError('USAGE', '--probe measures the machines of --hosts FILE, which is missing');
    const { inspectModel } = await import('../../model/inspect.ts');
    const place = { cwd: process.cwd(), env: process.env };
    const inspected = inspectModel(args.model, { contextLength: context ?? 0, quantize, ...place });
    const { inspection, read } = inspected;
    const planned = hosts === undefined ? undefined : await planFor(inspected, hosts, probe === true);
    await checkFamily(read);
    const printed = args.json
      ? JSON.stringify({ ...inspection, ...planned }, null, 2)
      : lines(await rowsOf(inspected, planned)).join('\n');
    process.stdout.write(`${args.json ? printed : stripControls(printed)}\n`);
    return 0;
  },
});

interface Planned {
  readonly plan: Plan;
  /** undefined: the hosts file says what connects the machines. */
  readonly probe: readonly ProbedLink[] | undefined;
}

async function rowsOf({ inspection }: InspectedModel, planned: Planned | undefined): Promise<Row[]> {
  const { modelRows } = await import('../inspect/model-rows.ts');
  const { planRows, probeRows } = await import('../inspect/plan-rows.ts');
  const rows = modelRows(inspection);
  return planned ? [...rows, ...probeRows(planned.probe ?? []), ...planRows(planned.plan)] : rows;
}

async function planFor(inspected: InspectedModel, file: string, measured: boolean): Promise<Planned> {
  const { readHostsFile } = await import('../../model/distributed/hosts-file.ts');
  const { planModel } = await import('../../model/distributed/plan-model.ts');
  const { memory, prediction } = inspected.inspection;
  const own = { memoryBytes: memory.availableBytes, bytesPerSecond: prediction.bandwidth.bytesPerSecond };
  const hosts = readHostsFile(file, own, measured);
  if (!measured) return { plan: planModel(inspected, hosts), probe: undefined };
  const { readGroupHosts } = await import('../../distributed/leader/group-hosts.ts');
  const { probeWorkers, slowest } = await import('../../distributed/leader/probe.ts');
  const probe = await probeWorkers(readGroupHosts(file, process.cwd()).workers);
  return { plan: planModel(inspected, { ...hosts, link: { ...hosts.link, ...slowest(probe) } }), probe };
}

/**
 * Lets the engine read the configuration without any tensors: it names a family, key or size it cannot use. A good
 * configuration gets as far as the first tensor, which is missing.
 */
async function checkFamily({ spec, configFile }: ReadModel): Promise<void> {
  const { config, gguf, encoder } = spec;
  const empty = {
    config,
    gguf,
    weights: { files: [], tensors: [] },
    adapters: [],
    contextLength: 0,
    kvBits: 0,
    encoder,
  };
  const { loadAddon } = await import('../../native/load-addon.ts');
  try {
    await (await loadAddon().load(empty, () => {})).close();
  } catch (error) {
    const { code, message } = error as LlmHostError;
    if (message.startsWith('the weights have no tensor')) return;
    if (code === undefined) throw error;
    throw withConfigFile(new LlmHostError(code, message, { cause: error }), configFile);
  }
}

function lines(rows: readonly Row[]): string[] {
  return rows.map(([name, value]) => `${name.padEnd(13)} ${value}`);
}
