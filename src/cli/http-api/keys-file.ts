import { resolve } from 'node:path';
import { z } from 'zod';
import { LlmHostError, messageOf } from '../../errors.ts';
import type { ApiKey } from '../../serve/http/access/access.ts';
import { readTextFile } from '../../text/files/read-text-file.ts';
import { parseJsonWithComments } from '../../text/json/json-with-comments.ts';

const MAX_BYTES = 1024 * 1024;

const perMinute = z.number().int().min(1).max(1e9).optional();

const keysFile = z.record(
  z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, 'a name has 1 to 64 letters, digits, . _ -'),
  z.strictObject({
    key: z
      .string()
      .min(1)
      .max(512)
      .regex(/^[\x21-\x7e]+$/, 'a key has no spaces, and only ASCII'),
    requestsPerMinute: perMinute,
    tokensPerMinute: perMinute,
  }),
);

/** `--api-keys FILE`: `{ "name": { "key": "...", "requestsPerMinute": 60, "tokensPerMinute": 10000 } }`. Throws LlmHostError USAGE. */
export function readKeysFile(file: string): readonly ApiKey[] {
  const path = resolve(file);
  const fault = (what: string) => new LlmHostError('USAGE', `--api-keys: ${path} ${what}`);
  let text: string;
  try {
    text = readTextFile(path, MAX_BYTES, { pipes: true });
  } catch (error) {
    throw fault(`cannot be read (${messageOf(error)})`);
  }
  const parsed = parseJsonWithComments(text);
  if (!parsed.ok) throw fault(`is not valid JSON: ${parsed.detail}`);
  const read = keysFile.safeParse(parsed.value);
  if (!read.success) {
    const [issue] = read.error.issues;
    const what = issue?.code === 'invalid_key' ? issue.issues[0]?.message : issue?.message;
    throw fault(`is not as documented: ${issue?.path.map(String).join('.') || 'the file'}: ${what}`);
  }
  const keys = Object.entries(read.data).map(([name, { key, ...limits }]) => ({ name, key, ...limits }));
  if (keys.length === 0) throw fault('has no keys');
  const twice = keys.find(({ key }, index) => keys.findIndex(one => one.key === key) !== index);
  if (twice) throw fault(`has the key of '${twice.name}' twice`);
  return keys;
}
