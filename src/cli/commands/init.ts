import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LlmHostError, messageOf } from '../../errors.ts';
import { defineCommand } from '../options/command.ts';
import { APPLICATION_DIRECTORY } from '../process/folders.ts';

export const init = defineCommand({
  usage: 'init',
  description: 'write config.json and mcp.json where they are missing',
  options: y => y,
  run: () => writeExamples(),
});

function writeExamples(): number {
  for (const name of ['config.json', 'mcp.json']) {
    const target = join(process.cwd(), name);
    try {
      const example = readFileSync(join(APPLICATION_DIRECTORY, `${name}.example`), 'utf8');
      // The schemas stay in the package; an absolute URL lets an editor find them from any folder.
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
      process.stdout.write(`${target} already exists; left as it is\n`);
    }
  }
  return 0;
}
