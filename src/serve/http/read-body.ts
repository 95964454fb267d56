import type { z } from 'zod';
import { isNestedDeeper } from '../../text/json/nesting.ts';
import { badRequest } from './api-error.ts';

const MAX_DEPTH = 100;

/** Checks a body against its schema. Throws ApiError 400 naming the first invalid field. */
export function readBody<T>(schema: z.ZodType<T>, body: unknown): T {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw badRequest('The body must be a JSON object');
  }
  if (isNestedDeeper(body, MAX_DEPTH))
    throw badRequest(`The body is nested more than ${MAX_DEPTH} levels deep`);
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  const param = issue?.path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : index ? `.${String(key)}` : String(key)))
    .join('');
  throw badRequest(`${param || 'The body'}: ${issue?.message ?? 'is not as documented'}`, param || undefined);
}
