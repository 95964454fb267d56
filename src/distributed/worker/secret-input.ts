import type { Readable } from 'node:stream';
import { LlmHostError } from '../../errors.ts';
import { checkSecret } from '../link/secret.ts';

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
