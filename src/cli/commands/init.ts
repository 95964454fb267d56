import { constants, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { LlmHostError, messageOf } from '../../errors.ts';
import { APPLICATION_DIRECTORY } from '../lookup.ts';

/** `llm-host init`: writes config.json and mcp.json into the working directory where they are missing. */
export function init(): number {
  for (const name of ['config.json', 'mcp.json']) {
    const target = join(process.cwd(), name);
    try {
      copyFileSync(join(APPLICATION_DIRECTORY, `${name}.example`), target, constants.COPYFILE_EXCL);
      process.stdout.write(`Wrote ${target}\n`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw new LlmHostError('CONFIG', `${target} cannot be written: ${messageOf(error)}`, {
          cause: error,
        });
      }
      process.stdout.write(`${target} is already there; left as it is\n`);
    }
  }
  return 0;
}
