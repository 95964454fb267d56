import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { serveDemo } from '../../../scripts/lib/served-demo.mjs';
import { ROOT } from '../program.ts';

const run = promisify(execFile);
const PAGE = readFileSync(join(ROOT, 'docs', 'serve.md'), 'utf8');
/** Where scripts/check/program/serve-clients.mjs installs the clients of PyPI. */
const PYTHON = join(
  process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
  'llm-host/serve-clients/bin/python',
);
const hasClients = spawnSync(PYTHON, ['-c', 'import openai, anthropic, ollama']).status === 0;

/** The examples of one language, in their order on the page. */
function examples(language: string): string[] {
  return [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    match => match[1] as string,
  );
}

/** What each of them prints. */
const WANTED = {
  sh: [/17 \+ 25 is 42/, /llm_host_event.*"tool_call".*[\s\S]*"tool_result".*42/, /Paris/],
  js: [/42/, /\[ 'city', 'capital' \]/, /^get_weather$/m, /42/, /Paris/, /Paris/],
  python: [/42[\s\S]*Paris/, /42.* True/, /42[\s\S]*404/],
};
const numbered = (patterns: readonly RegExp[]) => patterns.map((wanted, index) => [index, wanted] as const);

describe('the examples of docs/serve.md, with the demo model and the official clients', {
  timeout: 300_000,
}, () => {
  let url = '';

  beforeAll(async () => {
    const server = await serveDemo();
    url = server.url;
    return async () => {
      await server.stop();
    };
  }, 120_000);

  const example = (language: string, index: number) =>
    (examples(language)[index] ?? '').replaceAll('http://127.0.0.1:8080', url);

  it('are all known here', () => {
    for (const [language, wanted] of Object.entries(WANTED))
      expect(examples(language)).toHaveLength(wanted.length);
  });

  it.concurrent.each(numbered(WANTED.sh))('sh %i', async (index, wanted) => {
    const { stdout } = await run('sh', ['-c', example('sh', index)]);
    expect(stdout).toMatch(wanted);
  });

  it.concurrent.each(numbered(WANTED.js))('js %i', async (index, wanted) => {
    const code = example('js', index);
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], { cwd: ROOT });
    expect(stdout).toMatch(wanted);
  });

  (hasClients ? it.concurrent : it.skip).each(numbered(WANTED.python))(
    'python %i (needs the clients of PyPI, which scripts/check/program/serve-clients.mjs installs)',
    async (index, wanted) => {
      const { stdout } = await run(PYTHON, ['-c', example('python', index)]);
      expect(stdout).toMatch(wanted);
    },
  );
});
