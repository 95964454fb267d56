import { join } from 'node:path';
import { defineCommand } from '../options/command.ts';

export const init = defineCommand({
  usage: 'init',
  description: 'write config.json and mcp.json',
  options: y => y,
  run: () => writeExamples(),
});

async function writeExamples(): Promise<number> {
  const { writeExample } = await import('../settings/write-example.ts');
  for (const name of ['config.json', 'mcp.json'] as const) {
    const target = join(process.cwd(), name);
    const written = writeExample(name, target);
    process.stdout.write(written ? `Wrote ${target}\n` : `${target} already exists; left as it is\n`);
  }
  return 0;
}
