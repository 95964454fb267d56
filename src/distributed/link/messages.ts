import { z } from 'zod';
import { type ErrorCode, type LlmHostError, messageOf } from '../../errors.ts';
import type { NativeRequest } from '../../native/addon-types.ts';
import { visible } from '../../text/clean/visible.ts';

/** Raised when machines of both sides would no longer understand each other. */
export const PROTOCOL = 3;

const short = z.string().max(4096);
/** The limit of a text that people read. */
const LONGEST = 65_536;
const count = z.number().int().min(0);
const int32 = z
  .number()
  .int()
  .min(-(2 ** 31))
  .max(2 ** 31 - 1);
const MOST_MACHINES = 64;
const address = z.string().regex(/^\d{1,3}(\.\d{1,3}){3}:\d{1,5}$/, 'no IPv4 address and port');

/** How a model is to be loaded: what changes its numbers, or in which order they are computed. */
const loading = z.strictObject({
  contextLength: count,
  kvBits: z.union([z.literal(4), z.literal(8)]).optional(),
  exact: z.boolean(),
  adapter: z.array(short).max(64).optional(),
  quantize: short.optional(),
  cacheBytes: count,
  parallel: int32.min(1),
});
export type SharedLoading = z.infer<typeof loading>;

const ids = z.array(int32);
const request = z.looseObject({
  promptIds: ids,
  stopIds: ids,
  logitBiasIds: ids,
  logitBias: z.array(z.number()),
  checkpoints: ids,
  allowedFirst: z.base64().optional(),
});

/** The first machine's orders to a worker, in this sequence; `ping`, `probe` and `close` at any time. */
const order = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('compare'),
    model: short,
    machines: count.min(2).max(MOST_MACHINES),
    loading,
  }),
  z
    .strictObject({
      type: z.literal('load'),
      ring: z.array(address).min(2).max(MOST_MACHINES),
      rank: count.min(1),
      limitMs: count.min(1).max(3_600_000),
    })
    .refine(({ ring, rank }) => rank < ring.length, { path: ['rank'], message: 'outside of the ring' }),
  z.strictObject({ type: z.literal('run'), request }),
  z.strictObject({ type: z.literal('ping') }),
  // To measure the connection: nothing is done with the data.
  z.strictObject({ type: z.literal('probe'), data: z.string().max(LONGEST), answer: z.boolean() }),
  z.strictObject({ type: z.literal('close') }),
]);
export type Order = z.infer<typeof order>;

const facts = z.strictObject({
  weights: short,
  tokenizer: short,
  template: short,
  adapters: short,
  numbers: short,
});
/** The properties that must be equal on all machines. */
export type ModelMark = z.infer<typeof facts>;

/** With which reading and running a model may end. */
const CODES = [
  ...(['USAGE', 'CONFIG', 'MODEL_NOT_FOUND', 'MODEL_BROKEN', 'MODEL_UNSUPPORTED', 'OUT_OF_MEMORY'] as const),
  ...(['ENGINE', 'ENGINE_UNAVAILABLE', 'CONTEXT_FULL', 'CACHE', 'TEMPLATE', 'UNEXPECTED'] as const),
] satisfies ErrorCode[];

/** A worker's messages: `hello` first, then an answer to each order but `run`, and to `probe` if it asks for one. */
const report = z.discriminatedUnion('type', [
  // Other versions may say more.
  z.looseObject({ type: z.literal('hello'), protocol: count, version: short, mlx: short }),
  z.strictObject({ type: z.literal('compared'), facts }),
  z.strictObject({ type: z.literal('loaded'), weightBytes: count }),
  // Counts of its sums with the others: see GroupProgress.
  z.strictObject({ type: z.literal('pong'), sums: count, waits: z.boolean(), bytes: count }),
  z.strictObject({ type: z.literal('probed') }),
  z.strictObject({ type: z.literal('closed') }),
  z.strictObject({
    type: z.literal('failed'),
    code: z.enum(CODES).catch('ENGINE'),
    message: z.string().max(LONGEST),
    hint: z.string().max(LONGEST).optional(),
  }),
]);
export type Report = z.infer<typeof report>;

/** The limit of a complaint about a message, which may quote it. */
const MOST_SAID = 200;

/** Throws Error for anything that is no order. */
export const readOrder = (value: unknown): Order => read(order, value);
/** Throws Error for anything that is no report. */
export const readReport = (value: unknown): Report => read(report, value);

function read<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const why = visible(`${issue?.path.join('.')}: ${issue?.message}`.slice(0, MOST_SAID)).slice(0, MOST_SAID);
  throw new Error(`a message that is none of this protocol (${why})`);
}

/** Tells of an error. */
export function failure(error: unknown): Extract<Report, { type: 'failed' }> {
  const { code, hint } = error as Partial<LlmHostError>;
  return {
    type: 'failed',
    code: CODES.find(known => known === code) ?? 'UNEXPECTED',
    message: messageOf(error).slice(0, LONGEST),
    ...(hint && { hint: hint.slice(0, LONGEST) }),
  };
}

export function toWire(native: NativeRequest): Extract<Order, { type: 'run' }>['request'] {
  const { allowedFirst, prefix: _prefix, ...rest } = native;
  return {
    ...rest,
    promptIds: [...native.promptIds],
    stopIds: [...native.stopIds],
    logitBiasIds: [...native.logitBiasIds],
    logitBias: [...native.logitBias],
    checkpoints: [...native.checkpoints],
    ...(allowedFirst && { allowedFirst: Buffer.from(allowedFirst).toString('base64') }),
  };
}

/** The addon checks the numbers. */
export function fromWire(wire: Extract<Order, { type: 'run' }>['request']): NativeRequest {
  const { allowedFirst, ...rest } = wire;
  return {
    ...(rest as unknown as NativeRequest),
    promptIds: Int32Array.from(wire.promptIds),
    stopIds: Int32Array.from(wire.stopIds),
    logitBiasIds: Int32Array.from(wire.logitBiasIds),
    logitBias: Float32Array.from(wire.logitBias),
    checkpoints: Int32Array.from(wire.checkpoints),
    ...(allowedFirst !== undefined && { allowedFirst: new Uint8Array(Buffer.from(allowedFirst, 'base64')) }),
  };
}
