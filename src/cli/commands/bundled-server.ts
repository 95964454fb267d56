import { join } from 'node:path';
import { LlmHostError } from '../../errors.ts';
import { defineCommand } from '../options/command.ts';
import { text } from '../options/option-kinds.ts';
import { stateDirectory } from '../process/app.ts';

/** One of the MCP servers of `src/servers`, until stdin ends. */
export const bundledServer = defineCommand({
  usage: 'server <name>',
  description: 'run a bundled MCP server on stdio',
  rare: true,
  options: y =>
    y
      .positional('name', { choices: ['calculator', 'files', 'research'] as const, demandOption: true })
      .option('root', text('folder for the files server'))
      .option('base-url', text('address of the arXiv API, for the research server')),
  run: async ({ name, root, baseUrl }) => {
    if (name === 'calculator') await runCalculator();
    else if (name === 'research') await runResearch(baseUrl ?? process.env.LLM_HOST_ARXIV_URL);
    else await runFiles(root);
    return 0;
  },
});

async function runCalculator(): Promise<void> {
  const { runCalculatorServer } = await import('../../servers/calculator.ts');
  await runCalculatorServer();
}

async function runFiles(root: string | undefined): Promise<void> {
  if (root === undefined) throw new LlmHostError('USAGE', 'the files server needs --root FOLDER');
  const { runFilesServer } = await import('../../servers/files.ts');
  await runFilesServer({ root });
}

async function runResearch(baseUrl: string | undefined): Promise<void> {
  const { runResearchServer } = await import('../../servers/research.ts');
  const cacheFolder = join(stateDirectory(process.env), 'research');
  await runResearchServer({ cacheFolder, ...(baseUrl && { baseUrl }) });
}
