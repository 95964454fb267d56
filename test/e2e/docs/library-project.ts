import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../program.ts';

const PACKAGES = ['zod', '@types', 'undici-types', 'ai', '@ai-sdk', '@modelcontextprotocol'];

/**
 * A project of its own with the library and some packages installed, `weather-server.mjs`, and a tiny embedding model in its
 * cache of models. The caller removes it.
 */
export function libraryProject(): string {
  const dir = mkdtempSync(join(tmpdir(), 'llm-host-library-'));
  mkdirSync(join(dir, 'node_modules'));
  symlinkSync(ROOT, join(dir, 'node_modules/llm-host'));
  for (const name of PACKAGES) symlinkSync(join(ROOT, 'node_modules', name), join(dir, 'node_modules', name));
  copyFileSync(join(ROOT, 'test/fixtures/mcp/weather.mjs'), join(dir, 'weather-server.mjs'));
  cacheEmbeddingModel(dir);
  writeFileSync(join(dir, 'package.json'), '{ "type": "module" }');
  return dir;
}

/** By the name of the one that the pages load. */
function cacheEmbeddingModel(dir: string): void {
  const repo = join(dir, 'hub/models--sentence-transformers--all-MiniLM-L6-v2');
  const commit = '0123456789abcdef0123456789abcdef01234567';
  cpSync(join(ROOT, 'test/fixtures/encoders/bert-mean'), join(repo, 'snapshots', commit), {
    recursive: true,
  });
  mkdirSync(join(repo, 'refs'));
  writeFileSync(join(repo, 'refs/main'), commit);
}

/** Compiles the files of a project strictly, and returns what is wrong with them. */
export function compileFaults(dir: string, include: readonly string[], more: object = {}): string[] {
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable', 'dom'],
    module: 'nodenext',
    strict: true,
    skipLibCheck: false,
    types: ['node'],
    ...more,
  };
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', dir], { cwd: dir, encoding: 'utf8' });
  // The AI SDK's own types lack those of json-schema.
  return stdout.split('\n').filter(line => /^\S/.test(line) && !line.includes('@ai-sdk/provider/dist'));
}

/** Runs a file of a project; rejects for another exit code than 0. */
export function runIn(
  dir: string,
  args: readonly string[],
  stdin = '',
): Promise<{ stdout: string; stderr: string }> {
  const env = { ...process.env, HF_HUB_CACHE: join(dir, 'hub') };
  const run = promisify(execFile)(process.execPath, [...args], { cwd: dir, env });
  run.child.stdin?.end(stdin);
  return run;
}
