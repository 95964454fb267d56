import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hubIdOf, resolveModel } from '../../model/locate.ts';
import { OLLAMA_PREFIX } from '../../run/ollama-source.ts';
import type { ChatArguments } from '../options/chat-options.ts';
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
export async function chatSettings(args: ChatArguments, where: Place): Promise<Settings> {
  while (true) {
    try {
      return loadSettings(args, args.model === 'demo', where);
    } catch (error) {
      if (!(error instanceof MissingFile)) throw error;
      checkModel(args, where);
      if (!(await offerExample(error, args, where))) throw error;
    }
  }
}

/** A mistyped model is reported before a missing file. Whether a Hub id exists shows only later. */
function checkModel({ model, backend, connect }: ChatArguments, where: Place): void {
  if (connect !== undefined || model === undefined || backend === 'ollama' || model.startsWith(OLLAMA_PREFIX))
    return;
  if (!hubIdOf(model, where)) resolveModel(model, where);
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
