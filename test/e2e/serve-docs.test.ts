import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { MAIN, ROOT } from './program.ts';

const run = promisify(execFile);
const PAGE = readFileSync(join(ROOT, 'docs', 'serve.md'), 'utf8');
const PYTHON = process.env.LLM_HOST_PYTHON ?? 'python3';
const hasClients = spawnSync(PYTHON, ['-c', 'import openai, ollama']).status === 0;

/** The examples of one language, in their order on the page. */
function examples(language: string): string[] {
  return [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    match => match[1] as string,
  );
}

const WANTED = {
  sh: [/17 \+ 25 is 42/, /llm_host_event.*"tool_call".*[\s\S]*"tool_result".*42/, /Paris/],
  js: [/42/, /\[ 'city', 'capital' \]/, /^get_weather$/m, /Paris/],
  python: [/42[\s\S]*Paris/, /42[\s\S]*404/],
};

describe('the examples of docs/serve.md, with the demo model and the official clients', {
  timeout: 300_000,
}, () => {
  let url = '';

  beforeAll(async () => {
    const dir = mkdtempSync(join(tmpdir(), 'llm-host-docs-'));
    const env = {
      PATH: process.env.PATH,
      HOME: dir,
      XDG_CACHE_HOME: process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
    };
    const server = spawn(process.execPath, [MAIN, 'serve', 'demo', '--port', '0'], { cwd: dir, env });
    const lines = createInterface({ input: server.stdout });
    for await (const line of lines) {
      url = /Listening on (\S+)/.exec(line)?.[1] ?? '';
      if (url !== '') break;
    }
    return async () => {
      server.kill('SIGTERM');
      await once(server, 'close');
      rmSync(dir, { recursive: true, force: true });
    };
  });

  const here = (code: string) => code.replaceAll('http://127.0.0.1:8080', url);

  it('are all known here', () => {
    for (const [language, wanted] of Object.entries(WANTED))
      expect(examples(language)).toHaveLength(wanted.length);
  });

  it.each(WANTED.sh.map((wanted, index) => [index + 1, wanted] as const))('sh %i', async (number, wanted) => {
    const { stdout } = await run('sh', ['-c', here(examples('sh')[number - 1] ?? '')]);
    expect(stdout).toMatch(wanted);
  });

  it.each(WANTED.js.map((wanted, index) => [index + 1, wanted] as const))('js %i', async (number, wanted) => {
    const code = here(examples('js')[number - 1] ?? '');
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], { cwd: ROOT });
    expect(stdout).toMatch(wanted);
  });

  it.skipIf(!hasClients).each(WANTED.python.map((wanted, index) => [index + 1, wanted] as const))(
    'python %i (the packages openai and ollama from PyPI are not installed; LLM_HOST_PYTHON names an interpreter that has them)',
    async (number, wanted) => {
      const { stdout } = await run(PYTHON, ['-c', here(examples('python')[number - 1] ?? '')]);
      expect(stdout).toMatch(wanted);
    },
  );
});
