import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LlmHostError, messageOf } from '../../errors.ts';
import { APPLICATION_DIRECTORY } from '../settings/lookup.ts';

/** `llm-host init`: writes config.json and mcp.json into the working directory where they are missing. */
export function init(): number {
  for (const name of ['config.json', 'mcp.json']) {
    const target = join(process.cwd(), name);
    try {
      const example = readFileSync(join(APPLICATION_DIRECTORY, `${name}.example`), 'utf8');
      // The schemas stay in the package, where an editor finds them from any folder.
      const text = example.replace(/"\.\/(\w+\.schema\.json)"/, (_own, schema: string) =>
        JSON.stringify(pathToFileURL(join(APPLICATION_DIRECTORY, schema)).href),
      );
      writeFileSync(target, text, { flag: 'wx' });
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
