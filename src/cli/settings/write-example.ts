import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LlmHostError, messageOf } from '../../errors.ts';
import { APPLICATION_DIRECTORY } from '../process/app.ts';

/** Writes the example of `config.json` or `mcp.json`; false if `target` exists. Throws LlmHostError CONFIG. */
export function writeExample(name: string, target: string): boolean {
  try {
    const example = readFileSync(join(APPLICATION_DIRECTORY, `${name}.example`), 'utf8');
    // The schemas stay in the package; an absolute URL lets an editor find them from any folder.
    const text = example.replace(/"\.\/(\w+\.schema\.json)"/, (_own, schema: string) =>
      JSON.stringify(pathToFileURL(join(APPLICATION_DIRECTORY, schema)).href),
    );
    writeFileSync(target, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new LlmHostError('CONFIG', `${target} cannot be written: ${messageOf(error)}`, { cause: error });
  }
}
