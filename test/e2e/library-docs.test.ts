import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeBlocks } from '../docs/command-lines.ts';
import { ROOT } from './program.ts';

// The examples of README.md and docs/library.md in a project of their own: compiled strictly, and run with the demo model.

const EXAMPLES = codeBlocks('ts').map(({ text }, index) => ({ name: `example${index + 1}`, text }));
/** What each example prints, in the order of the page. */
const PRINTS = [
  /42/,
  /Paris[\s\S]*Rome/,
  /name: 'add'[\s\S]*result: '42'[\s\S]*42/,
  /Oslo|sunny/i,
  /\S/,
  /\[[\s\d,]+\] \d+/,
  /^32 -?0\.\d+\n[\s\S]*\n[0-2] -?0\.\d+ \S/,
  /^true /,
  /42/,
  /\S/,
  /^MODEL_NOT_FOUND /,
];

let dir = '';

function runNode(file: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const env = { ...process.env, HF_HUB_CACHE: join(dir, 'hub') };
  return promisify(execFile)(process.execPath, [file, ...args], { cwd: dir, env });
}

/** A tiny model in the cache, by the name of the one that the pages load. */
function cacheEmbeddingModel(): void {
  const repo = join(dir, 'hub/models--sentence-transformers--all-MiniLM-L6-v2');
  const commit = '0123456789abcdef0123456789abcdef01234567';
  cpSync(join(ROOT, 'test/fixtures/encoders/bert-mean'), join(repo, 'snapshots', commit), {
    recursive: true,
  });
  mkdirSync(join(repo, 'refs'));
  writeFileSync(join(repo, 'refs/main'), commit);
}

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'llm-host-library-'));
  mkdirSync(join(dir, 'node_modules'));
  symlinkSync(ROOT, join(dir, 'node_modules/llm-host'));
  for (const name of ['zod', '@types', 'undici-types', 'ai', '@ai-sdk']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(dir, 'node_modules', name));
  }
  copyFileSync(join(ROOT, 'test/fixtures/mcp/weather.mjs'), join(dir, 'weather-server.mjs'));
  symlinkSync(
    join(ROOT, 'node_modules/@modelcontextprotocol'),
    join(dir, 'node_modules/@modelcontextprotocol'),
  );
  cacheEmbeddingModel();
  writeFileSync(join(dir, 'mcp.json'), '{ "servers": {} }');
  writeFileSync(join(dir, 'package.json'), '{ "type": "module" }');
  for (const { name, text } of EXAMPLES) writeFileSync(join(dir, `${name}.ts`), text);
  const imports = EXAMPLES.map(({ name }) => `console.log("\\n== ${name}");\nawait import('./${name}.js');`);
  writeFileSync(join(dir, 'all.ts'), `export {};\n${imports.join('\n')}`);
  writeFileSync(join(dir, 'common.cts'), COMMON);
  writeFileSync(join(dir, 'worker.ts'), WORKER);
  const compilerOptions = {
    ...{ target: 'es2022', lib: ['es2023', 'esnext.disposable', 'dom'], module: 'nodenext' },
    ...{ strict: true, skipLibCheck: false, types: ['node'] },
  };
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', '*.cts'] }));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', dir], { cwd: dir, encoding: 'utf8' });
  // The AI SDK's own types lack those of json-schema.
  const faults = stdout
    .split('\n')
    .filter(line => /^\S/.test(line) && !line.includes('@ai-sdk/provider/dist'));
  expect(faults).toEqual([]);
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('README.md and docs/library.md', () => {
  it('have as many examples as are checked here', () => {
    expect(EXAMPLES).toHaveLength(PRINTS.length);
  });

  it('each prints what it should, and the process ends', { timeout: 180_000 }, async () => {
    // In one process, one after another.
    const { stdout, stderr } = await runNode('all.js');
    const printed = stdout.split(/\n== example\d+\n/).slice(1);
    expect(stderr).toBe('');
    expect(printed).toHaveLength(PRINTS.length);
    for (const [index, text] of printed.entries()) expect(text).toMatch(PRINTS[index] as RegExp);
  });
});

const COMMON = `
const { loadModel } = require('llm-host') as typeof import('llm-host');
void (async () => {
  const models = await Promise.all([loadModel('demo'), loadModel('demo')]);
  for (const model of models) console.log((await model.chat().send('What is the capital of France?')).text);
  await Promise.all(models.map(model => model.close()));
})();
`;
const WORKER = `
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { loadModel } from 'llm-host';

if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url));
  worker.on('message', text => console.log(text));
} else {
  await using model = await loadModel('demo');
  parentPort?.postMessage((await model.chat().send('What is the capital of France?')).text);
}
`;

it('CommonJS: require, and two models at once', async () => {
  const { stdout } = await runNode('common.cjs');
  expect(stdout.match(/Paris/g)).toHaveLength(2);
});

it('examples/search-by-embeddings.mjs', async () => {
  const example = 'search-by-embeddings.mjs';
  copyFileSync(join(ROOT, 'examples', example), join(dir, example));
  mkdirSync(join(dir, 'notes'));
  writeFileSync(join(dir, 'notes/a.md'), '# Pets\n\nA cat sits on the mat.\n\nRain tomorrow.\n');
  const { stdout } = await runNode(example, 'notes', 'a cat sits on the mat');
  expect(stdout).toMatch(/^0\.\d{3} a\.md:3\nA cat sits on the mat\.\n\n/);
  await expect(runNode(example)).rejects.toMatchObject({ code: 2 });
});

it('a worker thread', async () => {
  const { stdout } = await runNode('worker.js');
  expect(stdout).toContain('Paris');
});
