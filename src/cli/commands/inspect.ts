import { LlmHostError } from '../../errors.ts';
import type { Plan } from '../../model/distributed/plan.ts';
import type { InspectedModel, Inspection } from '../../model/inspect.ts';
import type { ReadModel } from '../../model/load-model.ts';
import { withConfigFile } from '../../model/name-config-file.ts';
import { QUANTIZE_CHOICES } from '../../model/weights/quantize-choices.ts';
import { stripControls } from '../../text/clean/strip-controls.ts';
import { planRows } from '../inspect/plan-rows.ts';
import { type Row, rounded, sized } from '../inspect/rows.ts';
import { CONTEXT, checkNumber } from '../options/chat-options.ts';
import { defineCommand } from '../options/command.ts';
import { json, number, text } from '../options/option-kinds.ts';

/** Loads no weights. */
export const inspect = defineCommand({
  usage: 'inspect <model>',
  description:
    'describe a model from headers and config: family, size, quantization, memory, predicted speed',
  options: (y, declareModel) =>
    declareModel(y)
      .option('context', { ...number('tokens of context to count memory for'), alias: 'ctx' })
      .option('quantize', {
        type: 'string',
        choices: QUANTIZE_CHOICES,
        describe: 'as if loaded with --quantize',
      })
      .option('hosts', text('plan how to divide it over the machines in this file'))
      .option('json', json),
  run: async args => {
    const { context, quantize, hosts } = args;
    checkNumber('context', context, CONTEXT);
    const { inspectModel } = await import('../../model/inspect.ts');
    const place = { cwd: process.cwd(), env: process.env };
    const inspected = inspectModel(args.model, { contextLength: context ?? 0, quantize, ...place });
    const { inspection, read } = inspected;
    const plan = hosts === undefined ? undefined : await planFor(inspected, hosts);
    await checkFamily(read);
    const rows = [...rowsOf(inspection), ...(plan ? planRows(plan) : [])];
    const printed = args.json ? JSON.stringify({ ...inspection, plan }, null, 2) : lines(rows).join('\n');
    process.stdout.write(`${args.json ? printed : stripControls(printed)}\n`);
    return 0;
  },
});

async function planFor(inspected: InspectedModel, file: string): Promise<Plan> {
  const { readHostsFile } = await import('../../model/distributed/hosts-file.ts');
  const { planModel } = await import('../../model/distributed/plan-model.ts');
  const { memory, prediction } = inspected.inspection;
  const own = { memoryBytes: memory.availableBytes, bytesPerSecond: prediction.bandwidth.bytesPerSecond };
  return planModel(inspected, readHostsFile(file, own));
}

/**
 * Lets the engine read the configuration without any tensors: it names a family, key or size it cannot use. A good
 * configuration gets as far as the first tensor, which is missing.
 */
async function checkFamily({ spec, configFile }: ReadModel): Promise<void> {
  const { config, gguf } = spec;
  const empty = {
    config,
    gguf,
    weights: { files: [], tensors: [] },
    adapters: [],
    contextLength: 0,
    kvBits: 0,
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

function rowsOf(model: Inspection): Row[] {
  const { memory, prediction, template, encoder } = model;
  return [
    ['model', model.name],
    ['family', model.family],
    ['parameters', parameters(model.parameters)],
    ['quantization', model.quantization],
    ['layers', String(model.layers ?? 'unknown')],
    ['context', model.contextLength === undefined ? 'unknown' : `${model.contextLength} tokens`],
    ...(encoder ? encoderRows(encoder) : chatRows(model, template)),
    ['on disk', sized(memory.storedBytes)],
    [
      'memory',
      `${sized(memory.totalBytes)}: weights ${sized(memory.weightBytes)}, KV cache for ${memory.contextLength} tokens ${sized(memory.kvBytes)}, working set ${sized(memory.workingSetBytes)}`,
    ],
    ['available', `${sized(memory.availableBytes)}: ${memory.fits ? 'fits' : 'does not fit'}`],
    ...(encoder ? [] : [speedRow(prediction)]),
  ];
}

function encoderRows({ kind, pooling, maxTokens, prompts }: NonNullable<Inspection['encoder']>): Row[] {
  const names = Object.keys(prompts);
  return [
    ['use', kind === 'classifier' ? 'ranks texts' : `vectors of texts (pooling: ${pooling})`],
    ['text', maxTokens === undefined ? 'up to the context' : `up to ${maxTokens} tokens`],
    ...(names.length > 0 ? [['prompts', names.join(', ')] as Row] : []),
  ];
}

function chatRows({ toolFormat }: Inspection, template: Inspection['template']): Row[] {
  return [
    ['chat template', template ? describeTemplate(template) : 'none: a base model'],
    ['tool format', toolFormat ?? 'none of its own: the prompt protocol'],
  ];
}

function speedRow({ tokensPerSecond, bandwidth }: Inspection['prediction']): Row {
  const memory = `${(bandwidth.bytesPerSecond / 1e9).toFixed(0)} GB/s of memory bandwidth (${bandwidth.origin})`;
  return ['speed', `at most ${rounded(tokensPerSecond)} tok/s, predicted from ${memory}`];
}

function describeTemplate(template: NonNullable<Inspection['template']>): string {
  const can = [
    [template.rendersTools, 'tools'],
    [template.rendersCalls, 'past calls'],
    [template.systemRole, 'system role'],
    [template.thinking !== undefined, 'a switch for thinking'],
  ] as const;
  const shown = can.filter(([does]) => does).map(([, name]) => name);
  const missing = can.filter(([does]) => !does).map(([, name]) => name);
  return [shown.join(', '), missing.length > 0 ? `not: ${missing.join(', ')}` : '']
    .filter(Boolean)
    .join('; ');
}

function parameters(count: number): string {
  if (count >= 1e9) return `${(count / 1e9).toFixed(2)} B`;
  return count >= 1e6 ? `${(count / 1e6).toFixed(1)} M` : count.toLocaleString('en');
}
