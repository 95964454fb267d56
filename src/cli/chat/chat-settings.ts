import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelSource } from '../../model/model-source.ts';
import type { ChatArguments } from '../options/option-table.ts';
import type { Place } from '../process/folders.ts';
import { readLine, terminalQuestions } from '../process/questions.ts';
import { wrapped } from '../process/wrapped.ts';
import { MissingFile } from '../settings/lookup.ts';
import { loadSettings, type Settings } from '../settings/settings.ts';
import { writeExample } from '../settings/write-example.ts';

/**
 * The settings of a chat. On a terminal a missing file can be written on the spot. Throws as `loadSettings` does, and
 * LlmHostError MODEL_NOT_FOUND.
 */
export async function chatSettings(
  args: ChatArguments,
  given: ModelSource | undefined,
  where: Place,
): Promise<Settings> {
  while (true) {
    try {
      return loadSettings(args, given?.kind === 'demo', where);
    } catch (error) {
      if (!(error instanceof MissingFile)) throw error;
      // A mistyped model is reported before a missing file. Whether a Hub id exists shows only later.
      if (given?.kind === 'unknown') throw given.error;
      if (!(await offerExample(error, args, where))) throw error;
    }
  }
}

/** Offers to write the missing file; true once it is there. Only a chat at a terminal is asked. */
async function offerExample(
  missing: MissingFile,
  { prompt, json }: ChatArguments,
  { cwd }: Place,
): Promise<boolean> {
  const target = join(cwd, missing.file);
  if (prompt !== undefined || json || !terminalQuestions() || existsSync(target)) return false;
  process.stderr.write(`${wrapped(`${missing.message}.`, process.stderr, process.env)}\n`);
  const answer = await readLine(`Write ${missing.file} here from the example? yes or no [yes]: `, false);
  if (answer === undefined || !/^(?:y(?:es)?)?$/i.test(answer.trim())) return false;
  return writeExample(missing.file, target);
}
