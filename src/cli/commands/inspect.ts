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
  const { memory, prediction, template } = model;
  const rows: [string, string][] = [
    ['model', model.name],
    ['family', model.family],
    ['parameters', parameters(model.parameters)],
    ['quantization', model.quantization],
    ['layers', String(model.layers ?? 'unknown')],
    ['context', model.contextLength === undefined ? 'unknown' : `${model.contextLength} tokens`],
    ['chat template', template ? describeTemplate(template) : 'none: a base model'],
    ['tool format', model.toolFormat ?? 'none of its own: the prompt protocol'],
    ['on disk', bytes(memory.storedBytes)],
    [
      'memory',
      `${bytes(memory.totalBytes)}: weights ${bytes(memory.weightBytes)}, KV cache for ${memory.contextLength} tokens ${bytes(memory.kvBytes)}, working set ${bytes(memory.workingSetBytes)}`,
    ],
    ['available', `${bytes(memory.availableBytes)}: ${memory.fits ? 'fits' : 'does not fit'}`],
    [
      'speed',
      `at most ${rounded(prediction.tokensPerSecond)} tok/s, predicted from ${(prediction.bandwidth.bytesPerSecond / 1e9).toFixed(0)} GB/s of memory bandwidth (${prediction.bandwidth.origin})`,
    ],
  ];
  return rows.map(([name, value]) => `${name.padEnd(14)}${value}`);
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
