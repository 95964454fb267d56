import type { Inspection } from '../../model/inspect.ts';

/** Describes a model, for `inspect`. */
export function modelRows(model: Inspection): Row[] {
  const { memory, prediction, template, encoder } = model;
  return [
    ['model', model.name],
    ['family', model.family],
    ['parameters', parameters(model.parameters)],
    ['quantization', model.quantization],
    ['layers', String(model.layers ?? 'unknown')],
    ['context', model.contextLength === undefined ? 'unknown' : `${model.contextLength} tokens`],
    ...(encoder ? encoderRows(encoder, model.contextLength) : chatRows(model, template)),
    ['on disk', sized(memory.storedBytes)],
    [
      'memory',
      `${sized(memory.totalBytes)}: weights ${sized(memory.weightBytes)}, KV cache for ${memory.contextLength} tokens ${sized(memory.kvBytes)}, working set ${sized(memory.workingSetBytes)}`,
    ],
    ['available', `${sized(memory.availableBytes)}: ${memory.fits ? 'fits' : 'does not fit'}`],
    ...(encoder ? [] : [speedRow(prediction)]),
  ];
}

function encoderRows(
  { kind, pooling, maxTokens, prompts }: NonNullable<Inspection['encoder']>,
  context: number | undefined,
): Row[] {
  const names = Object.keys(prompts);
  const cut = maxTokens !== undefined && maxTokens < (context ?? Number.POSITIVE_INFINITY);
  return [
    ['use', kind === 'classifier' ? 'ranks texts' : `vectors of texts (pooling: ${pooling})`],
    ['text', cut ? `up to ${maxTokens} tokens` : 'up to the context'],
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

/** A line of a description: its name and what is said. */
export type Row = readonly [name: string, value: string];

/** To two significant digits. */
export function rounded(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 2 });
}

export function sized(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(2)} GB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
