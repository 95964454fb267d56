import { resolve } from 'node:path';
import { LlmHostError, messageOf } from '../../errors.ts';
import { checkResponseFormat, type ResponseFormat } from '../../grammar/response-format.ts';
import { readTextFile } from '../../text/files/read-text-file.ts';
import type { ChatArguments } from './option-table.ts';

const MAX_SCHEMA_BYTES = 1024 * 1024;

/** `--schema FILE`, with `--prompt` only. Throws LlmHostError USAGE for a file without a usable schema. */
export function answerFormat(args: ChatArguments, cwd: string): ResponseFormat | undefined {
  if (args.schema === undefined) return undefined;
  if (args.prompt === undefined) {
    throw new LlmHostError('USAGE', '--schema needs -p: it applies to one answer');
  }
  const path = resolve(cwd, args.schema);
  let schema: unknown;
  try {
    schema = JSON.parse(readTextFile(path, MAX_SCHEMA_BYTES, { pipes: true }));
  } catch (error) {
    const where = error instanceof SyntaxError ? `${path} is not JSON: ` : '';
    throw new LlmHostError('USAGE', `--schema: ${where}${messageOf(error)}`);
  }
  const format = { type: 'json_schema' as const, schema: schema as Readonly<Record<string, unknown>> };
  checkResponseFormat(format);
  return format;
}
