import { LlmHostError } from '../../errors.ts';

/** `llm-host server calculator|files`: a bundled MCP server on stdin and stdout until stdin ends. */
export async function server(name: 'calculator' | 'files', root: string | undefined): Promise<number> {
  if (name === 'calculator') {
    const { runCalculatorServer } = await import('../../servers/calculator.ts');
    await runCalculatorServer();
    return 0;
  }
  if (root === undefined) throw new LlmHostError('USAGE', 'the files server needs --root FOLDER');
  const { runFilesServer } = await import('../../servers/files.ts');
  await runFilesServer({ root });
  return 0;
}
