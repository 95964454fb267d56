import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeBlocks } from '../../docs/command-lines.ts';
import { compileFaults, libraryProject, runIn } from '../docs/library-project.ts';

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

beforeAll(() => {
  dir = libraryProject();
  writeFileSync(join(dir, 'mcp.json'), '{ "servers": {} }');
  for (const { name, text } of EXAMPLES) writeFileSync(join(dir, `${name}.ts`), text);
  const imports = EXAMPLES.map(({ name }) => `console.log("\\n== ${name}");\nawait import('./${name}.js');`);
  writeFileSync(join(dir, 'all.ts'), `export {};\n${imports.join('\n')}`);
  writeFileSync(join(dir, 'common.cts'), COMMON);
  writeFileSync(join(dir, 'worker.ts'), WORKER);
  expect(compileFaults(dir, ['*.ts', '*.cts'])).toEqual([]);
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('README.md and docs/library.md', () => {
  it('have as many examples as are checked here', () => {
    expect(EXAMPLES).toHaveLength(PRINTS.length);
  });

  it('each prints what it should, and the process ends', { timeout: 180_000 }, async () => {
    // In one process, one after another.
    const { stdout, stderr } = await runIn(dir, ['all.js']);
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
  const { stdout } = await runIn(dir, ['common.cjs']);
  expect(stdout.match(/Paris/g)).toHaveLength(2);
});

it('a worker thread', async () => {
  const { stdout } = await runIn(dir, ['worker.js']);
  expect(stdout).toContain('Paris');
});
