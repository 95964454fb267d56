import { hkdfSync, randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { LlmHostError, messageOf } from '../../errors.ts';
import { readTextFile } from '../../text/files/read-text-file.ts';

const MAX_BYTES = 4096;
/** Less could be guessed from a recorded handshake. */
const LEAST_CHARACTERS = 32;

export const newSecret = (): string => randomBytes(32).toString('hex');

/** `option`: for messages. Throws LlmHostError USAGE. */
export function readSecretFile(path: string, option: string): string {
  const fault = (what: string, hint?: string) =>
    new LlmHostError('USAGE', `${option}: ${path} ${what}`, hint === undefined ? {} : { hint });
  let text: string;
  try {
    text = readTextFile(path, MAX_BYTES).trim();
  } catch (error) {
    throw fault(`cannot be read (${messageOf(error)})`);
  }
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
    throw fault('can be read by other users', `Run: chmod 600 ${path}`);
  return checkSecret(text, fault);
}

function checkSecret(text: string, fault: (what: string, hint?: string) => LlmHostError): string {
  if (text.length >= LEAST_CHARACTERS) return text;
  throw fault(
    `has ${text.length} characters, and a secret needs ${LEAST_CHARACTERS} or more`,
    'Make one with: openssl rand -hex 32',
  );
}

/** The key of the connection. */
export const keyOf = (secret: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, 'llm-host', 'control channel 1', 32));

const MAX_CHARACTERS = 4096;

/** The first line of an input that stays open as long as the program that has started this one. */
export async function secretFromInput(
  input: Readable,
): Promise<{ readonly secret: string; readonly ended: Promise<void> }> {
  const fault = (what: string, hint?: string) =>
    new LlmHostError('USAGE', `--secret-file -: stdin ${what}`, hint === undefined ? {} : { hint });
  let over: () => void = () => undefined;
  const ended = new Promise<void>(resolve => {
    over = resolve;
  });
  const line = await new Promise<string>((resolve, reject) => {
    let text = '';
    input.on('data', chunk => {
      if (text.includes('\n')) return;
      text += String(chunk);
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
      else if (text.length > MAX_CHARACTERS) reject(fault('has an endless first line'));
    });
    input.on('error', () => over());
    input.on('close', () => over());
    input.on('end', () => {
      resolve(text);
      over();
    });
  });
  return { secret: checkSecret(line.trim(), fault), ended };
}
