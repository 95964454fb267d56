import { NativeJob } from '../../../src/engine/native-job.ts';
import type { NativeEvent, NativeModel, NativeRequest } from '../../../src/native/addon-types.ts';
import { loadAddon } from '../../../src/native/load-addon.ts';
import { type TinyModel, type TinyOptions, tinyModel } from './tiny-model.ts';

export type EndEvent = Extract<NativeEvent, { type: 'end' }>;
export type ErrorEvent = Extract<NativeEvent, { type: 'error' }>;
export type TokenEvent = Extract<NativeEvent, { type: 'token' }>;

export interface Run {
  readonly events: readonly NativeEvent[];
  readonly tokens: readonly TokenEvent[];
  readonly ids: readonly number[];
  readonly last: EndEvent | ErrorEvent;
}

/** Runs a job to its end. */
export async function run(model: NativeModel, nativeRequest: NativeRequest): Promise<Run> {
  const job = new NativeJob(model, nativeRequest);
  const events: NativeEvent[] = [];
  while (true) {
    const event = await job.next();
    events.push(event);
    if (event.type !== 'end' && event.type !== 'error') continue;
    const tokens = events.filter(e => e.type === 'token');
    return { events, tokens, ids: tokens.map(token => token.id), last: event };
  }
}

/** Loads a tiny model, hands it to `body` and closes it. */
export async function withTinyModel<T>(
  options: TinyOptions,
  body: (model: NativeModel, tiny: TinyModel) => Promise<T>,
): Promise<T> {
  const tiny = tinyModel(options);
  const model = await loadAddon().load(tiny.spec, () => {});
  try {
    return await body(model, tiny);
  } finally {
    await model.close();
  }
}

/** `count` ids that differ from prompt to prompt. */
export function promptOf(count: number, salt = 1): number[] {
  return Array.from({ length: count }, (_, i) => (i * 31 + salt * 17 + ((i * i) % 13)) % 96);
}
