import { LlmHostError } from '../../errors.ts';
import type { Inspection } from '../../model/inspect.ts';
import type { ReadModel } from '../../model/load-model.ts';
import { withConfigFile } from '../../model/name-config-file.ts';
import { QUANTIZE_CHOICES } from '../../model/weights/quantize-choices.ts';
import { stripControls } from '../../text/clean/strip-controls.ts';
import { CONTEXT, checkNumber } from '../options/chat-options.ts';
import { defineCommand } from '../options/command.ts';
import { json, number } from '../options/option-kinds.ts';

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
      .option('json', json),
  run: async args => {
    const { context, quantize } = args;
    checkNumber('context', context, CONTEXT);
    const { inspectModel } = await import('../../model/inspect.ts');
    const place = { cwd: process.cwd(), env: process.env };
    const { inspection, read } = inspectModel(args.model, {
      contextLength: context ?? 0,
      quantize,
      ...place,
    });
    await checkFamily(read);
    const text = args.json ? JSON.stringify(inspection, null, 2) : lines(inspection).join('\n');
    process.stdout.write(`${args.json ? text : stripControls(text)}\n`);
    return 0;
  },
});

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

function lines(model: Inspection): string[] {
  const { memory, prediction, template, encoder } = model;
  const rows: Rows = [
    ['model', model.name],
    ['family', model.family],
    ['parameters', parameters(model.parameters)],
    ['quantization', model.quantization],
    ['layers', String(model.layers ?? 'unknown')],
    ['context', model.contextLength === undefined ? 'unknown' : `${model.contextLength} tokens`],
    ...(encoder ? encoderRows(encoder) : chatRows(model, template)),
    ['on disk', bytes(memory.storedBytes)],
    [
      'memory',
      `${bytes(memory.totalBytes)}: weights ${bytes(memory.weightBytes)}, KV cache for ${memory.contextLength} tokens ${bytes(memory.kvBytes)}, working set ${bytes(memory.workingSetBytes)}`,
    ],
    ['available', `${bytes(memory.availableBytes)}: ${memory.fits ? 'fits' : 'does not fit'}`],
    ...(encoder ? [] : [speedRow(prediction)]),
  ];
  return rows.map(([name, value]) => `${name.padEnd(14)}${value}`);
}

type Rows = [string, string][];

function encoderRows({ kind, pooling, maxTokens, prompts }: NonNullable<Inspection['encoder']>): Rows {
  const names = Object.keys(prompts);
  return [
    ['use', kind === 'classifier' ? 'ranks texts' : `vectors of texts (pooling: ${pooling})`],
    ['text', maxTokens === undefined ? 'up to the context' : `up to ${maxTokens} tokens`],
    ...(names.length > 0 ? [['prompts', names.join(', ')] as [string, string]] : []),
  ];
}

function chatRows({ toolFormat }: Inspection, template: Inspection['template']): Rows {
  return [
    ['chat template', template ? describeTemplate(template) : 'none: a base model'],
    ['tool format', toolFormat ?? 'none of its own: the prompt protocol'],
  ];
}

function speedRow({ tokensPerSecond, bandwidth }: Inspection['prediction']): [string, string] {
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

/** To two significant digits. */
function rounded(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 2 });
}

function bytes(count: number): string {
  return count >= 1e9 ? `${(count / 1e9).toFixed(2)} GB` : `${(count / 1e6).toFixed(1)} MB`;
}
