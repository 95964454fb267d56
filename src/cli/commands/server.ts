import { join } from 'node:path';
import { LlmHostError } from '../../errors.ts';
import { stateDirectory } from '../settings/lookup.ts';

export interface ServerOptions {
  readonly root?: string | undefined;
  readonly baseUrl?: string | undefined;
}

/** `llm-host server calculator|files|research`: a bundled MCP server on stdin and stdout until stdin ends. */
export async function server(
  name: 'calculator' | 'files' | 'research',
  { root, baseUrl }: ServerOptions,
): Promise<number> {
  if (name === 'calculator') {
    const { runCalculatorServer } = await import('../../servers/calculator.ts');
    await runCalculatorServer();
    return 0;
  }
  if (name === 'research') {
    const { runResearchServer } = await import('../../servers/research.ts');
    const url = baseUrl ?? process.env.LLM_HOST_ARXIV_URL;
    await runResearchServer({
      cacheFolder: join(stateDirectory(process.env), 'research'),
      ...(url && { baseUrl: url }),
    });
    return 0;
  }
  if (root === undefined) throw new LlmHostError('USAGE', 'the files server needs --root FOLDER');
  const { runFilesServer } = await import('../../servers/files.ts');
  await runFilesServer({ root });
  return 0;
}
